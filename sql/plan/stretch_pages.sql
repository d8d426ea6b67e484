-- purpose: how far each stretch of an interrupted reading had come, and what its first and its
-- last page said.
-- grain: one page; the evidence is null for the pages between; ?1 reading, ?2 page numbers of a
-- stretch.
with
pages as (
    select
        page_number,
        page_number / ?2 as stretch,
        next,
        digest
    from page
    where reading_id = ?1
),
ends as (
    select stretch, min(page_number) as first, max(page_number) as last
    from pages
    group by stretch
)
select
    pages.stretch,
    pages.next,
    body.content
from pages
inner join ends on ends.stretch = pages.stretch
left join page_body as body
    on pages.page_number in (ends.first, ends.last)
    and body.digest = pages.digest
order by pages.page_number
