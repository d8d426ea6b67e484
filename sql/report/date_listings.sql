-- purpose: the listings that a date rests on: its own, those that it depends on by date, and
-- what was read by id, by deposit or by batch in its own session.
-- grain: one listing.
with
asof as (select * from temp.asof),
dates as (
    select business_date from asof
    union
    select batch_date from temp.group_days
),
first as (select min(business_date) as business_date from dates)
select
    listing.resource,
    listing.selector,
    listing.scope,
    listing.business_date,
    reading.verdict,
    reading.pages,
    reading.records,
    reading.bytes,
    reading.digest,
    reading.error
from asof
cross join first
inner join listing
inner join reading on reading.reading_id = listing.reading_id
where (
    listing.resource = 'ach-deposits'
    and listing.selector = 'date'
    and listing.business_date between first.business_date and asof.business_date
) or (
    listing.resource = 'ach-deposit-fees'
    and listing.selector = 'date'
    and listing.business_date = asof.business_date
) or (
    listing.resource in ('batches', 'authorizations')
    and listing.selector = 'date'
    and listing.business_date in (select business_date from dates)
) or (
    listing.selector = 'settled'
    and listing.business_date in (select business_date from dates)
) or (
    listing.selector in ('run', 'unsettled', 'returned')
    and listing.business_date = asof.business_date
) or (
    listing.selector in ('id', 'deposit', 'batch')
    and reading.session = (
        select session from business_day
        where business_day.business_date = asof.business_date
    )
)
order by listing.resource, listing.selector, listing.business_date, listing.scope
