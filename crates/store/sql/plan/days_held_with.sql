-- purpose: the days whose transactions are held by the deposits of a
-- merchant-day: those that are for it, and those that hold one of its own
-- transactions.
-- grain: one day; ?1 merchant, ?2 day.
select other.day
from transaction_total as own
cross join transaction_total as other
    on other.ach_deposit_id = own.ach_deposit_id
where own.day = ?2
  and own.merchant_id = ?1
  and own.ach_deposit_id <> 0
  and other.ach_deposit_id <> 0
  and other.merchant_id = ?1
union
select total.day
from deposit
cross join transaction_total as total
    on total.ach_deposit_id = deposit.ach_deposit_id
where deposit.merchant_id = ?1
  and deposit.association_date = ?2
  and deposit.gone_in is null
  and total.ach_deposit_id <> 0
  and total.merchant_id = ?1
