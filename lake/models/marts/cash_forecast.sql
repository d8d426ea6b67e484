-- purpose: money in transit as of the newest date, by the day on which it is
-- due; without a day, money that the processor holds.
-- grain: one merchant, currency and due date.
select
    transit.merchant_id,
    transit.currency,
    max(transit.currency_exponent) as currency_exponent,
    transit.due_date,
    count(*) as items,
    sum(transit.amount_minor) as amount_minor
from {{ ref('stg_in_transit') }} as transit
where transit.business_date = (
    select max(business_date) from {{ ref('report_dates') }}
)
group by transit.merchant_id, transit.currency, transit.due_date
