-- purpose: the findings in closed dates that a date reports: those that it
-- reported before, and, when it is the one to take them, those that no date has
-- reported yet.
-- grain: one discrepancy; ?1 the date, ?2 whether it takes unreported ones.
select
    prior.*,
    prior.closed_date as business_date,
    prior.closed_date as first_seen,
    'new' as status,
    0 as age_days,
    0 as is_reopened,
    '' as merchant_name,
    null as owner,
    null as ticket,
    null as due_date,
    null as note
from prior_finding as prior
where prior.reported_on = ?1
  and not prior.is_withdrawn
union all
select
    prior.*,
    prior.closed_date as business_date,
    prior.closed_date as first_seen,
    'new' as status,
    0 as age_days,
    0 as is_reopened,
    '' as merchant_name,
    null as owner,
    null as ticket,
    null as due_date,
    null as note
from prior_finding as prior
where ?2 and prior.reported_on is null and prior.closed_date < ?1
  and not prior.is_withdrawn
order by 2, 1
