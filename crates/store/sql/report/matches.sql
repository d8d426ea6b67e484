-- purpose: the pairs of a date, in the order in which they were sorted once.
-- grain: one page of pairs; ?1 the business date.
select
    business_date,
    first,
    rows
from match_page
where business_date = ?1
order by first
