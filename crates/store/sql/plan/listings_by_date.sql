-- purpose: the listings by date that are stored, for a shard whose merchants
-- have changed.
-- grain: one listing; ?1 is how many days before the first run date a listing
-- can lie.
with recursive
bounds as (
    select
        date(min(business_date), '-' || ?1 || ' days') as first_day,
        max(business_date) as last_day
    from business_day
),
days as (
    select first_day as day from bounds where first_day is not null
    union all
    select date(days.day, '+1 day')
    from days
    cross join bounds
    where days.day < bounds.last_day
),
resources (resource) as (
    values ('ach-deposits'), ('ach-deposit-fees'), ('batches'),
        ('authorizations'),
        ('transactions'), ('disputes')
)
select listing.resource, listing.business_date
from days
cross join resources
cross join listing
    on listing.resource = resources.resource
    and listing.selector = 'date'
    and listing.business_date = days.day
    and listing.scope = ''
inner join reading on reading.reading_id = listing.reading_id
where reading.verdict = 'complete'
order by listing.business_date, listing.resource
