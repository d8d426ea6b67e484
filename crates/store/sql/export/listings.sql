-- purpose: the listings that a date rests on, with their verdicts, as its run
-- record states them.
-- grain: one listing; ?1 the business date.
-- column resource text: what was listed
-- column selector text: what it selects by: date, settled, deposit, …
-- column scope text: the terminal, batch or deposit that it is about
-- column listing_date date: the date that it is about
-- column verdict text: complete, incomplete or not_read
-- column pages count: pages that were read
-- column records count: records that were stored
-- column bytes integer: what was received
-- column digest text: SHA-256 over the pages
-- column error text: why it is not complete
select
    listing.value ->> 'resource' as resource,
    listing.value ->> 'selector' as selector,
    nullif(listing.value ->> 'scope', '') as scope,
    listing.value ->> 'date' as listing_date,
    listing.value ->> 'verdict' as verdict,
    listing.value ->> 'pages' as pages,
    listing.value ->> 'records' as records,
    listing.value ->> 'bytes' as bytes,
    nullif(listing.value ->> 'digest', '') as digest,
    listing.value ->> 'error' as error
from run_record
cross join json_each(run_record.content, '$.listings') as listing
where run_record.business_date = ?1
order by 1, 2, 4, 3
