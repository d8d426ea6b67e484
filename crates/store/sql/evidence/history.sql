-- purpose: the dates on which a discrepancy was listed, with its status.
-- grain: one business date; ?1 id.
select business_date, status
from discrepancy_day
where discrepancy_id = ?1
order by business_date
