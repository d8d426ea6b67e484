-- code: RESTATED_AFTER_RECONCILED
-- severity: warning
-- figure: amount
-- subject: record
-- names: nothing
-- needs: nothing
-- means: A record changed after its date was reconciled: another amount, currency, type, count or date, or a status that leaves a final state.
-- explanation: {explanation}
-- action: Ask the processor why the past was changed; when it stands, correct the books and accept the discrepancy.
-- grain: one record of a date that was reconciled before; see temp.restatements.
select
    merchant_id,
    subject,
    currency,
    expected,
    actual,
    batch_date,
    batch_id,
    ach_deposit_id,
    authorization_id,
    transaction_id,
    payment_id,
    refund_id,
    order_id,
    explanation,
    problem
from temp.restatements
where code = 'RESTATED_AFTER_RECONCILED'
order by merchant_id, subject
