-- code: DUPLICATE_IN_LEDGER
-- severity: warning
-- figure: amount
-- subject: extra record
-- names: nothing
-- for: ledger
-- needs: authorizations bank-transfer-payments/settled bank-transfer-refunds/settled bank-transfer-payments/run bank-transfer-refunds/run bank-transfer-payments/returned
-- means: More than one record in the books carries the same processor reference; this is an extra one.
-- explanation: {explanation}
-- action: Void the extra record, or give it the reference of the movement that it is about.
-- grain: one extra record; matching finds them, see temp.ledger_findings.
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
where code = 'DUPLICATE_IN_LEDGER'
order by merchant_id, subject
