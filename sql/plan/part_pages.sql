-- purpose: how far each part of an interrupted reading had come.
-- grain: one page; ?1 reading, ?2 page numbers of a place.
select page_number / ?2 as place, next
from page
where reading_id = ?1
order by page_number
