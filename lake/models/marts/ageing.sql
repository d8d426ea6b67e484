-- purpose: open errors and warnings by age, on each date.
-- grain: one business date, merchant, currency and age band.
with banded as (
    select
        found.business_date,
        found.merchant_id,
        found.currency,
        case
            when found.age_days = 0 then '0 new'
            when found.age_days <= 2 then '1 to 2'
            when found.age_days <= 5 then '3 to 5'
            when found.age_days <= 20 then '6 to 20'
            else 'over 20'
        end as banking_days,
        case when found.figure = 'amount' then abs(found.difference) end
            as difference_minor
    from {{ ref('stg_discrepancies') }} as found
    where found.status in ('new', 'open')
        and found.severity in ('error', 'warning')
)
select
    business_date,
    merchant_id,
    currency,
    banking_days,
    count(*) as discrepancies,
    sum(difference_minor) as difference_minor
from banded
group by business_date, merchant_id, currency, banking_days
