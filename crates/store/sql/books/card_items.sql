-- purpose: the card authorizations of merchants with a ledger that are known as
-- of D, and those that are nobody's; which of them are items is decided where
-- they are read.
-- grain: one authorization with one of its transactions, in order of id, so
-- that the first of a transaction stands for it.
with
asof as (select * from temp.asof),
days as (
    select listing.business_date as day
    from temp.complete_listing as listing
    where listing.resource = 'authorizations' and listing.selector = 'date'
)
select
    item.authorization_id,
    item.merchant_id,
    item.day,
    item.batch_id,
    item.currency,
    item.card_last4,
    item.has_transaction,
    item.transaction_id,
    item.transaction_type,
    item.amount_minor,
    item.day in (select day from days) as is_day_read,
    item.transaction_date
from owned_authorization as item
cross join asof
where (
      item.merchant_id is null
      or item.merchant_id in (select merchant_id from temp.book_merchant)
  )
  and item.gone_in is null
  -- Nearly all rows qualify: going through the table once, in the order that is
  -- wanted, beats finding each by an index on the day, which the plus signs
  -- keep out.
  and +item.day <= asof.business_date
  and (
      +item.day >= asof.start_date
      or (item.merchant_id, +item.day)
          in (select merchant_id, day from temp.paid_days_before_start)
      or (
          +item.day >= (
              select min(own.early_day) from temp.book_merchant as own
              -- What is nobody's may be anybody's.
              where own.merchant_id = item.merchant_id
                 or item.merchant_id is null
          )
          and +item.day in (select day from days)
      )
  )
order by item.authorization_id, item.transaction_key
