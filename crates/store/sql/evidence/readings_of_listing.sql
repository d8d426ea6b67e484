-- purpose: every reading of a listing, newest first.
-- grain: one reading; ?1 resource, ?2 selector, ?3 business date, ?4 scope.
select
    reading.reading_id,
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
inner join reading on reading.listing_id = listing.listing_id
where listing.resource = ?1
  and listing.selector = ?2
  and listing.business_date = ?3
  and listing.scope = ?4
order by reading.reading_id desc
