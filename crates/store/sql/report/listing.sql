-- purpose: the newest state of one listing.
-- grain: one listing.
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
from listing
inner join reading on reading.reading_id = listing.reading_id
where listing.resource = :resource
  and listing.selector = :selector
  and listing.business_date = :business_date
  and listing.scope = :scope
