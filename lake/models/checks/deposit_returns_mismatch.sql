-- purpose: groups whose deposits pay other returns than their batches state: more
-- at once, less from the due date on.
-- grain: one business date and group.
select
    business_date,
    'DEPOSIT_RETURNS_MISMATCH' as code,
    merchant_id,
    subject,
    currency,
    cast(batch_returns as bigint) as expected,
    cast(deposit_returns as bigint) as actual
from {{ ref('group_figures') }}
where deposits > 0
    and (group_date >= start_date or is_paid_since_start)
    and (
        deposit_returns > batch_returns
        or (deposit_returns < batch_returns and is_due)
    )
