-- purpose: the pages of a reading with their bodies.
-- grain: one page; ?1 reading.
select page.part, page.page_number, page.digest, page_body.content
from page
inner join page_body on page_body.digest = page.digest
where page.reading_id = ?1
order by page.part, page.page_number
