-- code: CURRENCY_MISMATCH
-- severity: error
-- figure: amount
-- difference: none
-- subject: item
-- names: nothing
-- for: ledger
-- needs: authorizations bank-transfer-payments/settled bank-transfer-refunds/settled bank-transfer-payments/returned
-- means: The books name a movement of the processor in another currency; the amounts are not compared.
-- explanation: {explanation}
-- action: Correct the currency in the books, or ask the processor why it settled in another one.
-- grain: one item; matching finds them, see temp.ledger_findings.
select
    merchant_id,
    subject,
    currency,
    expected,
    actual,
    batch_date,
    batch_id,
    authorization_id,
    transaction_id,
    payment_id,
    refund_id,
    order_id,
    ledger_id,
    explanation,
    problem
from temp.ledger_findings
where code = 'CURRENCY_MISMATCH'
order by merchant_id, subject
