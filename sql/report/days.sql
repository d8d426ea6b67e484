-- purpose: every business date that was fetched or reconciled.
-- grain: one business date.
select business_date, fetch_state, reconciled, stale, is_complete
from business_day
order by business_date
