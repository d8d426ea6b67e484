-- purpose: the listing of a reading, and the business date that it was read
-- for.
-- grain: one row; ?1 reading.
select
    listing.listing_id,
    listing.resource,
    listing.selector,
    listing.scope,
    listing.business_date,
    fetch_session.business_date as read_for
from reading
inner join listing on listing.listing_id = reading.listing_id
left join fetch_session on fetch_session.session = abs(reading.session)
where reading.reading_id = ?1
