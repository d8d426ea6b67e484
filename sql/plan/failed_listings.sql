-- purpose: listings of recent days that an earlier run could not read, or not completely. What is
-- unsettled or returned is asked for as of a day, and its own day's alone.
-- grain: one listing, the newest first; ?1 the first date, ?2 the day after the last.
select
    listing.resource,
    listing.selector,
    listing.scope,
    listing.business_date
-- Few are: by their index, since the listings of these days are many.
from reading indexed by reading_not_complete
cross join listing
    on listing.listing_id = reading.listing_id
    and listing.reading_id = reading.reading_id
-- The first finds them in the index, the second says that it may be used.
where reading.verdict in ('reading', 'incomplete')
  and reading.verdict <> 'complete'
  and listing.selector in ('date', 'settled', 'run')
  and listing.business_date >= ?1
  and listing.business_date < ?2
order by listing.business_date desc, listing.resource, listing.selector, listing.scope
