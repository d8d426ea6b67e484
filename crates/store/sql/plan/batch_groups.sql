-- purpose: the merchant-days that have batches between two days.
-- grain: one merchant and day; ?1 first day, ?2 last day.
select distinct merchant_id, day
from batch
where day between ?1 and ?2
  and gone_in is null
  and merchant_id is not null
order by day, merchant_id
