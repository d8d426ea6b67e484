-- code: MISSING_IN_LEDGER
-- severity: error
-- figure: amount
-- subject: item
-- names: nothing
-- for: ledger
-- needs: authorizations bank-transfer-payments/settled bank-transfer-refunds/settled bank-transfer-payments/returned
-- means: An item at the processor has no record in the books although it should be posted by now.
-- explanation: {explanation}
-- action: Find out why the sale or refund was not posted, and post it; if it is posted under another id, date or amount, correct the record.
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
where code = 'MISSING_IN_LEDGER'
order by merchant_id, subject
