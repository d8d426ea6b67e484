-- purpose: records listed on D that name no merchant, for which nothing can be checked.
-- grain: one record.
with asof as (select * from temp.asof)
select 'deposit' as kind, cast(deposit.ach_deposit_id as text) as id
from asof inner join deposit on deposit.day = asof.business_date
where deposit.merchant_id is null and deposit.gone_in is null
union all
select 'batch', cast(batch.batch_id as text)
from asof inner join batch on batch.day = asof.business_date
where batch.merchant_id is null and batch.gone_in is null
union all
select 'authorization', cast(item.authorization_id as text)
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
order by 1, 2
