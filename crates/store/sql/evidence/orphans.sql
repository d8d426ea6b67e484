-- purpose: rows whose parent row is gone.
-- grain: one kind of row and its parent.
select 'pages of reading ' || page.reading_id
    || ', which is not in the store' as what
from page
where not exists (select 1 from reading
    where reading.reading_id = page.reading_id)
group by page.reading_id
union all
select 'records of ledger file ' || page.file_id
    || ', which is not in the store'
from ledger_page as page
where not exists (select 1 from ledger_file as file
    where file.file_id = page.file_id)
group by page.file_id
union all
select 'lines of bank file ' || part.file_id || ', which is not in the store'
from (select file_id from bank_line union select file_id from bank_span) as part
where not exists (select 1 from bank_file as file
    where file.file_id = part.file_id)
group by part.file_id
order by what
