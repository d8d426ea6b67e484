-- purpose: the earliest reconciled date before another on which a discrepancy
-- existed.
-- grain: one discrepancy; ?1 its id, ?2 the other date.
select min(business_date)
from discrepancy_day
where discrepancy_id = ?1
  and business_date < ?2
  and status in ('new', 'open', 'accepted')
