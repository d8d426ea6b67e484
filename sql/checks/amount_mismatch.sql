-- code: AMOUNT_MISMATCH
-- severity: error
-- figure: amount
-- subject: item
-- names: nothing
-- for: ledger
-- needs: authorizations bank-transfer-payments/settled bank-transfer-refunds/settled bank-transfer-payments/returned
-- means: The books and the processor agree on which movement it is, but not on its amount.
-- explanation: {explanation}
-- action: Compare the receipt with both sides and correct the wrong one.
-- grain: one item, or the items of one authorization or order; matching finds them, see temp.ledger_findings.
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
where code = 'AMOUNT_MISMATCH'
order by merchant_id, subject
