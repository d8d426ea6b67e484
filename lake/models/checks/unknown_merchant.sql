-- purpose: merchants that the API lists and the configuration does not name.
-- grain: one business date and merchant.
select distinct
    dates.business_date,
    'UNKNOWN_MERCHANT' as code,
    seen.merchant_id,
    seen.merchant_id as subject,
    cast(null as string) as currency,
    cast(null as bigint) as expected,
    cast(null as bigint) as actual
from {{ ref('report_dates') }} as dates
inner join {{ ref('seen_merchants') }} as seen
    on seen.business_date between dates.start_date and dates.business_date
where not exists (
    select 1 from {{ ref('stg_merchants') }} as merchant
    where merchant.business_date = dates.business_date
        and merchant.merchant_id = seen.merchant_id
        and merchant.is_checked
)
