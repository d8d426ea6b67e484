-- purpose: deposits that hold something back, on their payment date alone.
-- grain: one business date and deposit.
select
    merchant.business_date,
    'FUNDS_HELD' as code,
    deposit.merchant_id,
    cast(deposit.ach_deposit_id as string) as subject,
    deposit.currency,
    cast(0 as bigint) as expected,
    deposit.held_sales_minor + deposit.holdback_minor as actual
from {{ ref('checked_merchants') }} as merchant
inner join {{ ref('stg_deposits') }} as deposit
    on deposit.merchant_id = merchant.merchant_id
    and deposit.business_date = merchant.business_date
where deposit.held_sales_minor <> 0 or deposit.holdback_minor <> 0
