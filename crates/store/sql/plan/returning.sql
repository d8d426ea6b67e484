-- purpose: discrepancies whose acceptance ended after the latest earlier
-- reconciled date: they left the open list, so that nothing but this tells the
-- checks to test them again.
-- grain: one discrepancy with its newest row; ?1 the earlier date, ?2 the date
-- that is judged.
with ended as (
    select subject from audit
    where act = 'accept' and until >= ?1 and until < ?2 and until <> ''
    union
    select subject from audit
    where act = 'reopen' and business_date > ?1 and business_date <= ?2
),
newest as (
    select
        ended.subject as discrepancy_id,
        (
            select max(day.business_date) from discrepancy_day as day
            where day.discrepancy_id = ended.subject and day.business_date < ?2
        ) as business_date
    from ended
)
select day.*
from newest
cross join discrepancy_day as day
    on day.business_date = newest.business_date
    and day.discrepancy_id = newest.discrepancy_id
where day.status = 'accepted'
order by day.discrepancy_id
