-- code: AMBIGUOUS_MATCH
-- severity: warning
-- figure: amount
-- subject: candidates
-- names: nothing
-- for: ledger
-- needs: authorizations bank-transfer-payments/settled bank-transfer-refunds/settled bank-transfer-payments/run bank-transfer-refunds/run bank-transfer-payments/returned
-- means: Items and records fit together in more ways than one; none of them is paired.
-- explanation: {explanation}
-- action: Add the processor reference, the order id or the last four digits to the records, so that one pairing is left.
-- grain: one set of candidates; matching finds them, see temp.ledger_findings.
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
where code = 'AMBIGUOUS_MATCH'
order by merchant_id, subject
