-- purpose: keep a row that a date has reported and that its rerun does not
-- find.
-- grain: one discrepancy on one date; :withdrawn_at when that run was.
insert into withdrawn_finding (
    business_date, discrepancy_id, code, severity, status, is_carried,
    first_seen, age_days, subject, merchant_id, merchant_name, currency, figure,
    has_difference, expected, actual, batch_date, batch_id, ach_deposit_id,
    authorization_id, transaction_id, payment_id, refund_id, order_id,
    ledger_id, explanation, action, dispute_id, expected_currency, reported_at,
    withdrawn_at
)
select
    day.business_date, day.discrepancy_id, day.code, day.severity, day.status,
    day.is_carried, day.first_seen, day.age_days, day.subject, day.merchant_id,
    day.merchant_name, day.currency, day.figure, day.has_difference,
    day.expected, day.actual, day.batch_date, day.batch_id, day.ach_deposit_id,
    day.authorization_id, day.transaction_id, day.payment_id, day.refund_id,
    day.order_id, day.ledger_id, day.explanation, day.action, day.dispute_id,
    day.expected_currency,
    coalesce(business_day.last_run, ''), :withdrawn_at
from discrepancy_day as day
cross join business_day on business_day.business_date = day.business_date
where day.business_date = :business_date
  and day.discrepancy_id = :discrepancy_id
