-- purpose: the dates up to D whose deposits are all known.
-- grain: one date.
select listing.business_date as day
from temp.complete_listing as listing
where listing.resource = 'ach-deposits'
  and listing.selector = 'date'
  and listing.business_date in (select business_date from temp.known_days)
order by listing.business_date
