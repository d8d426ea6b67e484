-- purpose: the ids that the pages of a ledger hold, dated up to a date.
-- grain: one page, in order of file, date and line; ?1 the ledger, ?2 the date.
select
    page.rowid as page_id,
    page.ids
from ledger_file as file
cross join ledger_page as page on page.file_id = file.file_id
where file.ledger = ?1
  and page.date <= ?2
order by file.path, page.date, page.page
