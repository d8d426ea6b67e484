-- purpose: the listings that the newest fetch of a date could not read
-- completely; the error is null where the reading was interrupted.
-- grain: one listing; ?1 business date.
select
    listing.resource,
    listing.selector,
    listing.scope,
    listing.business_date,
    reading.error,
    reading.pages
from business_day as day
cross join reading on reading.session = day.session
cross join listing
    on listing.listing_id = reading.listing_id
        and listing.reading_id = reading.reading_id
where day.business_date = ?1
  and reading.verdict <> 'complete'
  -- A key that lacks an operation which not every key has misses nothing.
  and not exists (
      select 1 from key_operation as operation
      where not operation.is_there
        and operation.name = case listing.resource
            when 'dispute-statuses' then 'disputes' else listing.resource end
  )
order by listing.resource, listing.selector, listing.business_date,
    listing.scope
