-- purpose: deposits whose fees do not add up to what was taken out.
-- grain: one business date and deposit.
with fees as (
    select listed_for as ach_deposit_id, sum(amount_minor) as fees_minor
    from {{ ref('stg_fees') }}
    where listed_by = 'deposit'
    group by listed_for
)
select
    merchant.business_date,
    'DEPOSIT_FEES_MISMATCH' as code,
    deposit.merchant_id,
    cast(deposit.ach_deposit_id as string) as subject,
    deposit.currency,
    coalesce(fees.fees_minor, 0) as expected,
    deposit.daily_fees_minor as actual
from {{ ref('checked_merchants') }} as merchant
inner join {{ ref('stg_deposits') }} as deposit
    on deposit.merchant_id = merchant.merchant_id
    and deposit.business_date
        between merchant.start_date and merchant.business_date
left join fees
    on fees.ach_deposit_id = cast(deposit.ach_deposit_id as string)
where coalesce(fees.fees_minor, 0) <> deposit.daily_fees_minor
