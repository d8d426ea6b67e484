-- purpose: deposits whose components do not add up to their net amount, with
-- the signs that are the default.
-- grain: one business date and deposit.
with sums as (
    select
        deposit.*,
        sales_minor - returns_minor - daily_fees_minor - held_sales_minor
            - ach_adjustment_minor - holdback_minor + reserve_release_minor
            as expected
    from {{ ref('stg_deposits') }} as deposit
)
select
    merchant.business_date,
    'DEPOSIT_NET_MISMATCH' as code,
    sums.merchant_id,
    cast(sums.ach_deposit_id as string) as subject,
    sums.currency,
    sums.expected,
    sums.net_amount_minor as actual
from {{ ref('checked_merchants') }} as merchant
inner join sums
    on sums.merchant_id = merchant.merchant_id
    and sums.business_date between merchant.start_date and merchant.business_date
where sums.expected <> sums.net_amount_minor
