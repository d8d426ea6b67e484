-- purpose: due dates, so that due(date, days) is a join on the business date.
-- grain: one calendar and number of banking days, 0 to 30; ?1 the date.
-- column calendar text: its name in the configuration
-- column days count: banking days strictly after the business date
-- column due_date date: the resulting day
with recursive
calendars as (
    select calendar from temp.merchants
    union
    select calendar from temp.asof
),
days (days) as (
    select 0
    union all
    select days + 1 from days where days < 30
)
select
    calendars.calendar,
    days.days,
    due(?1, days.days, calendars.calendar) as due_date
from calendars
cross join days
order by calendars.calendar, days.days
