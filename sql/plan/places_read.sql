-- purpose: whose parts the newest reading of a listing holds, when it is complete. Each part has
-- a page, also an empty one.
-- grain: one place; parameters: resource, date, page numbers of a place.
select distinct page.page_number / ?3 as place
from listing
inner join reading on reading.reading_id = listing.reading_id
inner join page on page.reading_id = reading.reading_id
where listing.resource = ?1
  and listing.selector = 'date'
  and listing.business_date = ?2
  and listing.scope = ''
  and reading.verdict = 'complete'
order by 1
