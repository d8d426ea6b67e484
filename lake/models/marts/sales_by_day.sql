-- purpose: the sales that each merchant submitted, by batch date.
-- grain: one merchant, currency and batch date.
select
    batch.merchant_id,
    batch.currency,
    max(batch.currency_exponent) as currency_exponent,
    batch.business_date as batch_date,
    count(*) as batches,
    sum(batch.transaction_count) as transactions,
    sum(batch.sale_amount_minor) as sales_minor,
    sum(batch.return_amount_minor) as returns_minor
from {{ ref('stg_batches') }} as batch
-- A day before the start is stored only as far as other days needed it.
where batch.business_date >= (
    select min(start_date) from {{ ref('report_dates') }}
)
group by batch.merchant_id, batch.currency, batch.business_date
