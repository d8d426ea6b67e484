-- Dates that the schedule named and that have not been done. Grain: business
-- date.
select business_date
from schedule_date
where not is_done
order by business_date
