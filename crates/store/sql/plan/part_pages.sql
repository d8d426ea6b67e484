-- purpose: how far each part of an interrupted reading had come.
-- grain: one page; ?1 reading.
select part, next
from page
where reading_id = ?1
order by part, page_number
