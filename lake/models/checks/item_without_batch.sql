-- purpose: card items whose batch is not listed, and bank transfers settled on
-- a merchant-day without a batch, within one currency.
-- grain: one business date and item.
with
loose as (
    select
        item.business_date,
        item.merchant_id,
        concat('authorization/', cast(item.authorization_id as string))
            as subject,
        item.currency,
        item.amount_minor
    from {{ ref('card_items') }} as item
    where item.place = 1
        and item.transaction_type in ('capture', 'return')
        and not exists (
            select 1 from {{ ref('stg_batches') }} as batch
            where batch.batch_id = item.batch_id
                and coalesce(batch.currency, '') = coalesce(item.currency, '')
        )
    union all
    select
        item.business_date,
        item.merchant_id,
        concat(item.kind, '/', item.transfer_id),
        item.currency,
        item.amount_minor
    from {{ ref('transfer_items') }} as item
    where not exists (
        select 1 from {{ ref('stg_batches') }} as batch
        where batch.merchant_id = item.merchant_id
            and batch.business_date = item.business_date
            and batch.currency = item.currency
    )
)
select
    merchant.business_date,
    'ITEM_WITHOUT_BATCH' as code,
    loose.merchant_id,
    loose.subject,
    loose.currency,
    cast(0 as bigint) as expected,
    loose.amount_minor as actual
from {{ ref('checked_merchants') }} as merchant
inner join loose
    on loose.merchant_id = merchant.merchant_id
    and loose.business_date
        between merchant.start_date and merchant.business_date
