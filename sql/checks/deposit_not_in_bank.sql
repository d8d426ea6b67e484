-- code: DEPOSIT_NOT_IN_BANK
-- severity: error
-- figure: amount
-- subject: deposit
-- names: nothing
-- for: bank
-- needs: ach-deposits
-- means: A deposit that the processor says it paid is not on the merchant's bank statement by the day on which it must be.
-- explanation: {explanation}
-- action: Ask the bank for the credit and the processor for its trace number; the money has left one and not reached the other.
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
where code = 'DEPOSIT_NOT_IN_BANK'
order by merchant_id, subject
