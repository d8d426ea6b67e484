-- purpose: listings of recent days that an earlier run could not read, or not
-- completely. What is unsettled or returned is asked for as of a day, and its
-- own day's alone. What has no day of its own, as the fees of a deposit, is of
-- the day for which it was asked.
-- grain: one listing, those that have a day first, the newest first; ?1 the
-- first date, ?2 the day after the last.
select
    listing.resource,
    listing.selector,
    listing.scope,
    coalesce(asked.business_date, listing.business_date) as business_date
-- Few are: by their index, since the listings of these days are many.
from reading indexed by reading_not_complete
cross join listing
    on listing.listing_id = reading.listing_id
    and listing.reading_id = reading.reading_id
-- A session below zero is shared by the dates of a run, and goes by its first
-- one.
left join fetch_session as asked
    on asked.session = abs(reading.session)
    and listing.business_date = ''
-- The first finds them in the index, the second says that it may be used.
where reading.verdict in ('reading', 'incomplete')
  and reading.verdict <> 'complete'
  and listing.selector in ('date', 'settled', 'run', 'deposit', 'id')
  and coalesce(asked.business_date, listing.business_date) >= ?1
  and coalesce(asked.business_date, listing.business_date) < ?2
order by
    asked.session is not null,
    coalesce(asked.business_date, listing.business_date) desc,
    listing.resource, listing.selector, listing.scope
