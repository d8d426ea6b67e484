-- purpose: the card authorizations of merchants with a ledger that are known as
-- of D, and those that are nobody's; which of them are items is decided where
-- they are read.
-- parameters: :since, the date after which days count.
-- grain: one authorization with one of its transactions, in order of id, so
-- that the first of a transaction stands for it.
with
asof as (select * from temp.asof),
days as (
    select listing.business_date as day
    from asof
    cross join temp.complete_listing as listing
    where listing.resource = 'authorizations'
      and listing.selector = 'date'
      and listing.business_date > :since
      and listing.business_date <= asof.business_date
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
where item.day > :since
  and item.day <= asof.business_date
  and item.gone_in is null
  and (
      item.merchant_id is null
      or item.merchant_id in (select merchant_id from temp.book_merchant)
  )
-- The plus signs have the days found by their index: in order of id the whole
-- table would be gone through.
order by +item.authorization_id, +item.transaction_key
