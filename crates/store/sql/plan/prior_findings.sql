-- purpose: the findings in closed dates that a date reports: those that it
-- reported before, and, when it is the one to take them, those that no date has
-- reported yet.
-- grain: one discrepancy; ?1 the date, ?2 whether it takes unreported ones.
with
reported as (
    select closed_date, discrepancy_id
    from prior_finding
    where reported_on = ?1
    union all
    select closed_date, discrepancy_id
    from prior_finding
    where ?2 and reported_on is null and closed_date < ?1
)
select
    prior.*,
    prior.closed_date as business_date,
    prior.closed_date as first_seen,
    'new' as status,
    0 as age_days,
    0 as is_reopened,
    null as also_near,
    '' as merchant_name,
    null as owner,
    null as ticket,
    null as due_date,
    null as note
from reported
cross join prior_finding as prior
    on prior.closed_date = reported.closed_date
    and prior.discrepancy_id = reported.discrepancy_id
where not prior.is_withdrawn
order by prior.discrepancy_id, prior.closed_date
