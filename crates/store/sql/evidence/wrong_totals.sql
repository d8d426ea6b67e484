-- purpose: totals of card transactions that differ from the sum of the
-- transactions, on dates whose listing is complete.
-- grain: one date, merchant, currency, deposit and standing.
with whole_days as (
    select listing.business_date as day
    from listing
    inner join reading on reading.reading_id = listing.reading_id
    where listing.resource = 'transactions'
      and listing.selector = 'date'
      and reading.verdict = 'complete'
),
kept as (
    select
        day, merchant_id, currency, ach_deposit_id, standing, transactions,
        sales_minor,
        returns_minor, unclear
    from transaction_total
    -- Transactions without a merchant count for no merchant, and older stores
    -- have no total of them.
    where merchant_id <> ''
),
added_up as (
    select
        day,
        merchant_id,
        coalesce(currency, '') as currency,
        coalesce(ach_deposit_id, 0) as ach_deposit_id,
        standing,
        count(*) as transactions,
        coalesce(sum(case when transaction_type = 'capture'
            then amount_minor end), 0)
            as sales_minor,
        coalesce(sum(case when transaction_type = 'return'
            then abs(amount_minor) end), 0)
            as returns_minor,
        sum(
            transaction_type is null
            or transaction_type not in ('capture', 'return')
            or amount_minor is null
            or currency is null
        ) as unclear
    from standing_transaction
    where gone_in is null
      and merchant_id is not null
    group by day, merchant_id, coalesce(currency, ''),
        coalesce(ach_deposit_id, 0), standing
),
differing as (
    select day, merchant_id, currency, ach_deposit_id
    from (select * from kept except select * from added_up)
    union
    select day, merchant_id, currency, ach_deposit_id
    from (select * from added_up except select * from kept)
)
select day, merchant_id, currency, ach_deposit_id
from differing
where day in (select day from whole_days)
order by day, merchant_id, currency, ach_deposit_id
