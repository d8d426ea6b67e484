-- purpose: the banking days of each calendar, as far as the due dates of the
-- dataset reach: each of them is one.
-- grain: one calendar and banking day.
select distinct calendar, due_date as banking_day
from {{ ref('stg_calendar') }}
where days > 0
