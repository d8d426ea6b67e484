-- purpose: a discrepancy as of the latest date that holds it.
-- grain: one row or none; ?1 id.
select day.*
from discrepancy_day as day
where day.discrepancy_id = ?1
order by day.business_date desc
limit 1
