-- purpose: how far each stretch of an interrupted reading had come, with its
-- first and its last page.
-- grain: one page; the evidence is null for the pages between; ?1 reading.
with
pages as (
    select
        part,
        page_number,
        next,
        digest
    from page
    where reading_id = ?1
),
ends as (
    select part, min(page_number) as first, max(page_number) as last
    from pages
    group by part
)
select
    pages.part,
    pages.next,
    body.content
from pages
inner join ends on ends.part = pages.part
left join page_body as body
    on pages.page_number in (ends.first, ends.last)
    and body.digest = pages.digest
order by pages.part, pages.page_number
