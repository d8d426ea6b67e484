-- purpose: the listings that a date rests on, with their verdicts, as its run
-- record states them.
-- grain: one listing; ?1 the business date.
-- column resource text: the listed resource
-- column selector text: its filter: date, settled, deposit, …
-- column scope text: the terminal, batch or deposit that it is about
-- column listing_date date: the date that it is about
-- column verdict text: complete, incomplete or not_read
-- column pages count: pages that were read
-- column records count: records that were stored
-- column bytes integer: the bytes received
-- column digest text: SHA-256 over the pages
-- column error text: why it is not complete
with stated as (
    select
        listing.value as content,
        iif(listing.type = 'integer', listing.value, null) as reading_id
    from run_record
    cross join json_each(run_record.content, '$.listings') as listing
    where run_record.business_date = ?1
)
select
    coalesce(listing.resource, stated.content ->> 'resource') as resource,
    coalesce(listing.selector, stated.content ->> 'selector') as selector,
    nullif(coalesce(listing.scope, stated.content ->> 'scope'), '') as scope,
    coalesce(nullif(listing.business_date, ''), stated.content ->> 'date')
        as listing_date,
    coalesce(reading.verdict, stated.content ->> 'verdict') as verdict,
    coalesce(reading.pages, stated.content ->> 'pages') as pages,
    coalesce(reading.records, stated.content ->> 'records') as records,
    coalesce(reading.bytes, stated.content ->> 'bytes') as bytes,
    nullif(coalesce(reading.digest, stated.content ->> 'digest'), '')
        as digest,
    stated.content ->> 'error' as error
from stated
left join reading on reading.reading_id = stated.reading_id
left join listing on listing.listing_id = reading.listing_id
order by 1, 2, 4, 3
