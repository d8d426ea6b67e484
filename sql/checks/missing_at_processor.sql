-- code: MISSING_AT_PROCESSOR
-- severity: error
-- figure: amount
-- subject: ledger record
-- names: nothing
-- for: ledger
-- needs: authorizations bank-transfer-payments/settled bank-transfer-refunds/settled bank-transfer-payments/run bank-transfer-refunds/run bank-transfer-payments/returned
-- means: A paid record in the books has nothing at the processor although it should have settled by now.
-- explanation: {explanation}
-- action: Find out whether the payment was ever submitted; if it was not, submit it or void the record.
-- grain: one ledger record; matching finds them, see temp.ledger_findings.
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
where code = 'MISSING_AT_PROCESSOR'
order by merchant_id, subject
