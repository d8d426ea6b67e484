-- code: STATUS_MISMATCH
-- severity: error
-- figure: amount
-- subject: item or bank transfer
-- names: nothing
-- for: ledger
-- needs: authorizations bank-transfer-payments/settled bank-transfer-refunds/settled bank-transfer-payments/run bank-transfer-refunds/run bank-transfer-payments/returned
-- means: The books say that a movement is paid, void, declined or returned, and the processor says otherwise.
-- explanation: {explanation}
-- action: Find out whether money moved, then correct the books or collect the payment again.
-- grain: one item or bank transfer; matching finds them, see temp.ledger_findings.
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
where code = 'STATUS_MISMATCH'
order by merchant_id, subject
