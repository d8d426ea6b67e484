-- purpose: the deposits paid to each merchant, by month.
-- grain: one merchant, currency and month of the payment date.
select
    deposit.merchant_id,
    deposit.currency,
    max(deposit.currency_exponent) as currency_exponent,
    date_trunc('month', deposit.business_date) as month,
    count(*) as deposits,
    sum(deposit.sales_minor) as sales_minor,
    sum(deposit.returns_minor) as returns_minor,
    sum(deposit.daily_fees_minor) as fees_minor,
    sum(deposit.net_amount_minor) as net_minor
from {{ ref('stg_deposits') }} as deposit
-- A day before the start is stored only as far as other days needed it.
where deposit.business_date >= (
    select min(start_date) from {{ ref('report_dates') }}
)
group by
    deposit.merchant_id, deposit.currency,
    date_trunc('month', deposit.business_date)
