-- purpose: groups whose deposits pay other count than their batches state: more
-- at once, less from the due date on.
-- grain: one business date and group.
select
    business_date,
    'DEPOSIT_COUNT_MISMATCH' as code,
    merchant_id,
    subject,
    currency,
    cast(batch_items as bigint) as expected,
    cast(deposit_items as bigint) as actual
from {{ ref('group_figures') }}
where deposits > 0
    and (group_date >= start_date or is_paid_since_start)
    and (
        deposit_items > batch_items
        or (deposit_items < batch_items and is_due)
    )
