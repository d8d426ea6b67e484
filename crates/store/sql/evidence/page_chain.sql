-- purpose: the pages of a reading with the cursors between them.
-- grain: one page; ?1 reading.
select part, page_number, after, next, records, digest
from page
where reading_id = ?1
order by part, page_number
