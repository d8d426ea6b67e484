-- purpose: the records of a ledger file that are dated after a date and on or
-- before D.
-- grain: one page, in order of date and line; ?1 the file, ?2 D, ?3 the date
-- before, or an empty text.
select
    date,
    rows
from ledger_page
where file_id = ?1
  and date <= ?2
  and date > ?3
order by date, page
