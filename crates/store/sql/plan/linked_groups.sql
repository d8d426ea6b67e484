-- purpose: the merchant-days of deposits that hold transactions of the dates
-- before a date: the other dates that those deposits pay for are known once
-- these days are read.
-- grain: one merchant and association date; ?1 earliest date, ?2 date.
select distinct
    deposit.merchant_id,
    deposit.association_date as day
from transaction_total as total
cross join deposit on deposit.ach_deposit_id = total.ach_deposit_id
where total.day between ?1 and ?2
  and total.ach_deposit_id <> 0
  and deposit.gone_in is null
  and deposit.day <= ?2
  and deposit.association_date is not null
  and deposit.merchant_id = total.merchant_id
order by deposit.merchant_id, deposit.association_date
