-- purpose: the verdict of the newest reading of a listing, and why it is not
-- complete.
-- grain: one listing; ?1 resource, ?2 selector, ?3 business date, ?4 scope.
select reading.verdict, reading.error
from listing
inner join reading on reading.reading_id = listing.reading_id
where listing.resource = ?1
  and listing.selector = ?2
  and listing.business_date = ?3
  and listing.scope = ?4
