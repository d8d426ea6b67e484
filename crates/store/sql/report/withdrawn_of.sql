-- purpose: the dates on which a discrepancy was reported until a later run over
-- the same date no longer found it.
-- grain: one business date; ?1 id.
select
    business_date, discrepancy_id, code, severity, status, is_carried,
    0 as is_reopened, first_seen, age_days, subject, merchant_id, merchant_name,
    currency, figure, has_difference, expected, actual, batch_date, batch_id,
    ach_deposit_id, authorization_id, transaction_id, payment_id, refund_id,
    order_id, ledger_id, explanation, action, dispute_id,
    expected_currency, null as also_near, null as owner, null as ticket,
    null as due_date, null as note, reported_at,
    withdrawn_at
from withdrawn_finding
where discrepancy_id = ?1
order by business_date
