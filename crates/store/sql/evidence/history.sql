-- purpose: on which dates a discrepancy was listed, and as what.
-- grain: one business date; ?1 id.
select business_date, status
from discrepancy_day
where discrepancy_id = ?1
order by business_date
