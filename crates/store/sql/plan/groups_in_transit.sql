-- purpose: the merchant-days whose batches were in transit when one of the
-- dates closed.
-- grain: one merchant and day; ?1 first date, ?2 last date.
select distinct merchant_id, date as day
from transit_result
where business_date between ?1 and ?2
  and kind = 'batch'
order by date, merchant_id
