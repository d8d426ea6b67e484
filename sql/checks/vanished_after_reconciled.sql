-- code: VANISHED_AFTER_RECONCILED
-- severity: error
-- figure: amount
-- subject: record
-- names: nothing
-- needs: nothing
-- means: A record is no longer listed although its date was reconciled with it.
-- explanation: {explanation}
-- action: Ask the processor what became of it; what was booked because of it no longer has a source.
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
where code = 'VANISHED_AFTER_RECONCILED'
order by merchant_id, subject
