-- purpose: configured merchants that no listing of the look-back holds.
-- grain: one business date and merchant.
select
    merchant.business_date,
    'MERCHANT_NOT_LISTED' as code,
    merchant.merchant_id,
    merchant.merchant_id as subject,
    cast(null as string) as currency,
    cast(null as bigint) as expected,
    cast(null as bigint) as actual
from {{ ref('checked_merchants') }} as merchant
where not exists (
    select 1 from {{ ref('seen_merchants') }} as seen
    where seen.merchant_id = merchant.merchant_id
        and seen.business_date <= merchant.business_date
        and {{ days_between('merchant.business_date', 'seen.business_date') }}
            <= {{ var('lookback_days', 75) }}
)
