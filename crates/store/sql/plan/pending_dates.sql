-- Dates that the schedule named up to :now and that have not been done. Grain:
-- business date.
select business_date
from schedule_date
where not is_done
    and fired_at <= :now
order by business_date
