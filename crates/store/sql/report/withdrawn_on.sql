-- purpose: the findings that later runs over a date no longer found, and have
-- not found again since.
-- grain: one discrepancy on one date.
select gone.business_date, gone.discrepancy_id, gone.code, gone.withdrawn_at
from withdrawn_finding as gone
where not exists (
    select 1 from discrepancy_day as day
    where day.business_date = gone.business_date
      and day.discrepancy_id = gone.discrepancy_id
)
order by gone.business_date, gone.code, gone.discrepancy_id
