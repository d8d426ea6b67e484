-- code: BANK_AMOUNT_MISMATCH
-- severity: error
-- figure: amount
-- subject: deposit
-- names: nothing
-- for: bank
-- needs: ach-deposits
-- means: The bank's line for a deposit has another amount than the deposit.
-- explanation: {explanation}
-- action: Ask the bank what it deducted and the processor what it sent; the two must agree to the cent.
-- grain: one deposit; pairing finds them, see temp.bank_findings.
select
    merchant_id,
    subject,
    currency,
    expected,
    actual,
    batch_date,
    ach_deposit_id,
    explanation,
    problem
from temp.bank_findings
where code = 'BANK_AMOUNT_MISMATCH'
order by merchant_id, subject
