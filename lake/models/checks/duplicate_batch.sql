-- purpose: batches of at least three card items, all with a last four, that hold
-- the same as an earlier batch of their merchant; unless three dates within 30
-- days do, which is a subscription, or the sales were made on other days.
-- grain: one business date and later batch.
with
kinds as (
    select
        item.merchant_id,
        item.batch_id,
        item.currency,
        item.transaction_type,
        item.amount_minor,
        part.card_last4,
        count(*) as items
    from {{ ref('card_items') }} as item
    inner join {{ ref('stg_authorizations') }} as part
        on part.business_date = item.business_date
        and part.merchant_id = item.merchant_id
        and part.authorization_id = item.authorization_id
        and part.transaction_id = item.transaction_id
    where item.place = 1 and item.transaction_type in ('capture', 'return')
    group by
        item.merchant_id, item.batch_id, item.currency, item.transaction_type,
        item.amount_minor, part.card_last4
),
batches as (
    select
        batch.merchant_id,
        batch.batch_id,
        batch.business_date as batch_date,
        batch.currency,
        batch.sale_amount_minor - batch.return_amount_minor as amount_minor,
        count(*) as kinds,
        sum(kinds.items) as items
    from {{ ref('stg_batches') }} as batch
    inner join kinds on kinds.batch_id = batch.batch_id
    group by
        batch.merchant_id, batch.batch_id, batch.business_date,
        batch.currency, batch.sale_amount_minor, batch.return_amount_minor
    having sum(kinds.items) >= 3
        and sum(case when kinds.card_last4 is null then 1 else 0 end) = 0
),
-- Batches that hold the same, each pair in both orders.
alike as (
    select
        one.batch_id,
        one.batch_date,
        other.batch_id as other_id,
        other.batch_date as other_date
    from batches as one
    inner join batches as other
        on other.merchant_id = one.merchant_id
        and other.currency = one.currency
        and other.kinds = one.kinds
        and other.items = one.items
        and other.batch_id <> one.batch_id
    inner join kinds on kinds.batch_id = one.batch_id
    inner join kinds as other_kinds
        on other_kinds.batch_id = other.batch_id
        and other_kinds.transaction_type = kinds.transaction_type
        and other_kinds.amount_minor = kinds.amount_minor
        and other_kinds.card_last4 = kinds.card_last4
        and other_kinds.items = kinds.items
    group by
        one.batch_id, one.batch_date, other.batch_id, other.batch_date,
        one.kinds
    having count(*) = one.kinds
),
sale_days as (
    select distinct batch_id, transaction_date
    from {{ ref('stg_authorizations') }}
    where transaction_id is not null
),
-- Pairs of which a sale was made on a day on which none of the other was.
other_days as (
    select alike.batch_id, alike.other_id
    from alike
    inner join sale_days as mine on mine.batch_id = alike.batch_id
    left join sale_days as theirs
        on theirs.batch_id = alike.other_id
        and theirs.transaction_date = mine.transaction_date
    where theirs.batch_id is null
),
-- The earlier of a pair, and how many banking days lie between them.
pairs as (
    select
        merchant.business_date,
        merchant.merchant_id,
        merchant.window_days,
        batch.batch_id,
        batch.batch_date,
        batch.currency,
        batch.amount_minor,
        alike.other_id,
        alike.other_date,
        count(passed.banking_day) as distance
    from {{ ref('checked_merchants') }} as merchant
    inner join batches as batch
        on batch.merchant_id = merchant.merchant_id
        and batch.batch_date
            between merchant.start_date and merchant.business_date
    inner join alike
        on alike.batch_id = batch.batch_id
        and (
            alike.other_date < batch.batch_date
            or (
                alike.other_date = batch.batch_date
                and alike.other_id < batch.batch_id
            )
        )
    left join {{ ref('banking_days') }} as passed
        on passed.calendar = merchant.calendar
        and passed.banking_day > alike.other_date
        and passed.banking_day <= batch.batch_date
    group by
        merchant.business_date, merchant.merchant_id, merchant.window_days,
        batch.batch_id, batch.batch_date, batch.currency,
        batch.amount_minor, alike.other_id, alike.other_date
)
select distinct
    pairs.business_date,
    'DUPLICATE_BATCH' as code,
    pairs.merchant_id,
    cast(pairs.batch_id as string) as subject,
    pairs.currency,
    cast(0 as bigint) as expected,
    pairs.amount_minor as actual
from pairs
where pairs.distance <= pairs.window_days
    and not exists (
        select 1 from other_days
        where other_days.batch_id = pairs.batch_id
            and other_days.other_id = pairs.other_id
    )
    and not exists (
        select 1 from alike as third
        where third.batch_id = pairs.batch_id
            and third.other_date <> pairs.batch_date
            and third.other_date <> pairs.other_date
            and pairs.other_date <> pairs.batch_date
            and third.other_date <= pairs.business_date
            and {{ days_between('third.other_date', 'pairs.other_date') }} <= 30
            and {{ days_between('pairs.batch_date', 'third.other_date') }} <= 30
    )
