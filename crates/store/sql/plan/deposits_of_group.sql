-- purpose: the deposits of a group that were paid before a date.
-- grain: one deposit; ?1 merchant, ?2 batch date, ?3 the date.
select ach_deposit_id, day
from deposit
where merchant_id = ?1
  and association_date = ?2
  and day < ?3
  and gone_in is null
order by ach_deposit_id
