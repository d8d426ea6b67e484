-- purpose: records listed on D that name no merchant, for which nothing can be
-- checked; of fees, which have no id, those that may be without a deposit.
-- grain: one record.
with asof as (select * from temp.asof)
select 'deposit' as kind, deposit.ach_deposit_id as id, null as fee_of
from asof inner join deposit on deposit.day = asof.business_date
where deposit.merchant_id is null and deposit.gone_in is null
union all
select 'batch', batch.batch_id, null
from asof inner join batch on batch.day = asof.business_date
where batch.merchant_id is null and batch.gone_in is null
union all
select 'fee', null, fee.ach_deposit_id
from asof
cross join temp.complete_listing as listing
    on listing.resource = 'ach-deposit-fees'
    and listing.selector = 'date'
    and listing.business_date = asof.business_date
    and listing.scope = ''
inner join fee on fee.listing_id = listing.listing_id
    and fee.reading = listing.reading_id
where fee.merchant_id is null
  and not exists (
      select 1 from deposit
      where deposit.ach_deposit_id = fee.ach_deposit_id
          and deposit.gone_in is null
  )
union all
select 'authorization', item.authorization_id, null
from asof
cross join (
    select distinct day, batch_id from temp.listed_cards
    where merchant_id is null and kind <> 'none'
) as nameless
cross join authorization as item
    on item.day = nameless.day
    and item.batch_id is nameless.batch_id
where nameless.day = asof.business_date
  and item.merchant_id is null
  and item.gone_in is null
  and item.has_transaction
order by 1, 2, 3
