-- purpose: batches that are due and of whose group nothing was paid. A group at
-- or below zero waits for a later deposit to take its balance up: which one does
-- is the program's to say, and such groups are left out on both sides.
-- grain: one business date and batch.
select
    figures.business_date,
    'BATCH_WITHOUT_DEPOSIT' as code,
    figures.merchant_id,
    cast(batch.batch_id as string) as subject,
    figures.currency,
    batch.sale_amount_minor - batch.return_amount_minor as expected,
    cast(0 as bigint) as actual
from {{ ref('group_figures') }} as figures
inner join {{ ref('groups') }} as grouped
    on grouped.merchant_id = figures.merchant_id
    and grouped.currency = figures.currency
    and grouped.group_date = figures.group_date
inner join {{ ref('stg_batches') }} as batch
    on batch.merchant_id = grouped.merchant_id
    and batch.currency = grouped.currency
    and batch.business_date = grouped.batch_date
where figures.deposits = 0
    and figures.is_due
    and figures.group_date >= figures.start_date
    and figures.batch_sales > figures.batch_returns
    and batch.sale_amount_minor > batch.return_amount_minor
    and (
        batch.sale_amount_minor <> 0
        or batch.return_amount_minor <> 0
        or batch.transaction_count <> 0
    )
