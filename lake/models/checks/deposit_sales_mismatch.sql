-- purpose: groups whose deposits pay other sales than their batches state: more
-- at once, less from the due date on.
-- grain: one business date and group.
select
    business_date,
    'DEPOSIT_SALES_MISMATCH' as code,
    merchant_id,
    subject,
    currency,
    cast(batch_sales as bigint) as expected,
    cast(deposit_sales as bigint) as actual
from {{ ref('group_figures') }}
where deposits > 0
    and (group_date >= start_date or is_paid_since_start)
    and (
        deposit_sales > batch_sales
        or (deposit_sales < batch_sales and is_due)
    )
