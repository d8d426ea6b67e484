-- purpose: listings of recent days that an earlier run did not read completely.
-- Those of unsettled and returned transfers are left out: they are listed as of
-- a day, for that day alone. A listing without a day of its own, such as the
-- fees of a deposit, belongs to the day that requested it.
-- grain: one listing, those that have a day first, the newest first; ?1 the
-- first date, ?2 the day after the last.
select
    listing.resource,
    listing.selector,
    listing.scope,
    coalesce(asked.business_date, listing.business_date) as business_date
-- Use their index: they are few, the listings of these days many.
from reading indexed by reading_not_complete
cross join listing
    on listing.listing_id = reading.listing_id
    and listing.reading_id = reading.reading_id
-- A session below zero is shared by the dates of a run and filed under the
-- first.
left join fetch_session as asked
    on asked.session = abs(reading.session)
    and listing.business_date = ''
-- The first condition finds them in the index, the second allows its use.
where reading.verdict in ('reading', 'incomplete')
  and reading.verdict <> 'complete'
  and listing.selector in ('date', 'settled', 'run', 'deposit', 'id')
  and coalesce(asked.business_date, listing.business_date) >= ?1
  and coalesce(asked.business_date, listing.business_date) < ?2
order by
    asked.session is not null,
    coalesce(asked.business_date, listing.business_date) desc,
    listing.resource, listing.selector, listing.scope
