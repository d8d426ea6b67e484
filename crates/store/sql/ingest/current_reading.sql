-- purpose: the newest reading of a listing.
-- grain: one listing; ?1 resource, ?2 selector, ?3 business date or empty, ?4
-- scope or empty.
select
    listing.listing_id,
    reading.reading_id,
    reading.session,
    reading.verdict
from listing
inner join reading on reading.reading_id = listing.reading_id
where listing.resource = ?1
  and listing.selector = ?2
  and listing.business_date = ?3
  and listing.scope = ?4
