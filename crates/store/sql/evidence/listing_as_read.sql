-- purpose: a listing as one reading read it.
-- grain: one row, or none; ?1 the reading.
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
from reading
inner join listing on listing.listing_id = reading.listing_id
where reading.reading_id = ?1
