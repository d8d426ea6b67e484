-- purpose: the dates up to D of which every deposit is known.
-- grain: one date.
select listing.business_date as day
from temp.complete_listing as listing
where listing.resource = 'ach-deposits'
  and listing.selector = 'date'
  and listing.business_date in (select business_date from temp.known_days)
order by listing.business_date
