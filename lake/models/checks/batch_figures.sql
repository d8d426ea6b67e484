-- purpose: what a batch states and what its items add up to. A merchant-day
-- with settled bank transfers and several batches of a currency is one.
-- grain: one batch, or one merchant-day and currency as a whole.
with
transfers as (
    select
        merchant_id,
        business_date,
        currency,
        count(*) as items,
        sum(case when kind = 'payment' then amount_minor else 0 end) as sales,
        sum(case when kind = 'refund' then amount_minor else 0 end) as returns
    from {{ ref('transfer_items') }}
    group by merchant_id, business_date, currency
),
cards as (
    select
        batch_id,
        count(*) as items,
        sum(case when transaction_type = 'capture' then amount_minor else 0 end)
            as sales,
        sum(case when transaction_type = 'return' then amount_minor else 0 end)
            as returns
    from {{ ref('card_items') }}
    where place = 1 and transaction_type in ('capture', 'return')
    group by batch_id
),
batches as (
    select
        batch.*,
        coalesce(cards.items, 0) as items,
        coalesce(cards.sales, 0) as sales,
        coalesce(cards.returns, 0) as returns,
        transfers.items as transfer_items,
        transfers.sales as transfer_sales,
        transfers.returns as transfer_returns,
        case
            when transfers.items is null then cast(batch.batch_id as string)
            else concat('day/', batch.currency)
        end as whole
    from {{ ref('stg_batches') }} as batch
    left join cards on cards.batch_id = batch.batch_id
    left join transfers
        on transfers.merchant_id = batch.merchant_id
        and transfers.business_date = batch.business_date
        and transfers.currency = batch.currency
)
select
    business_date,
    merchant_id,
    currency,
    count(*) as batches,
    min(batch_id) as batch_id,
    sum(sale_amount_minor) as header_sales,
    sum(return_amount_minor) as header_returns,
    sum(transaction_count) as header_items,
    sum(sales) + max(coalesce(transfer_sales, 0)) as items_sales,
    sum(returns) + max(coalesce(transfer_returns, 0)) as items_returns,
    sum(items) + max(coalesce(transfer_items, 0)) as items
from batches
group by business_date, merchant_id, currency, whole
