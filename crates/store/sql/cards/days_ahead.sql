-- purpose: the days whose authorizations a date looks at, as far as its
-- deposits show: its own, and those before the start that are paid on it.
-- grain: one day; the date itself first.
-- parameters: 1 the date; 2 the start date.
select ?1 as day
union all
select distinct deposit.association_date
from deposit
where deposit.day = ?1
  and deposit.association_date < ?2
  and deposit.gone_in is null
-- Each takes a connection and a thread.
limit 4
