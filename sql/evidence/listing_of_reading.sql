-- The listing that a reading belongs to.
--
-- One row. Parameters: ?1 the reading.
select
    listing.listing_id,
    listing.resource,
    listing.selector,
    listing.scope,
    listing.business_date
from reading
inner join listing on listing.listing_id = reading.listing_id
where reading.reading_id = ?1;
