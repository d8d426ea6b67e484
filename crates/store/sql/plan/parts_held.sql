-- purpose: the parts that the newest reading of a listing holds, when it is
-- complete. Each part has a page, also an empty one.
-- grain: one part; parameters: resource, date.
select distinct page.part
from listing
inner join reading on reading.reading_id = listing.reading_id
inner join page on page.reading_id = reading.reading_id
where listing.resource = ?1
  and listing.selector = 'date'
  and listing.business_date = ?2
  and listing.scope = ''
  and reading.verdict = 'complete'
order by 1
