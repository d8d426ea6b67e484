-- purpose: rows whose parent row is gone.
-- grain: one kind of row and its parent.
select 'page' as rows_of, page.reading_id as parent_id
from page
where not exists (select 1 from reading
    where reading.reading_id = page.reading_id)
group by page.reading_id
union all
select 'ledger_page', page.file_id
from ledger_page as page
where not exists (select 1 from ledger_file as file
    where file.file_id = page.file_id)
group by page.file_id
union all
select 'bank_line', part.file_id
from (select file_id from bank_line union select file_id from bank_span) as part
where not exists (select 1 from bank_file as file
    where file.file_id = part.file_id)
group by part.file_id
order by rows_of, parent_id
