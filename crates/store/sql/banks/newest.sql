-- purpose: the last day that the statements of each bank account cover.
-- grain: one bank section whose statements cover a day.
select file.bank as name, max(span.last_date) as day
from bank_file as file
inner join bank_span as span on span.file_id = file.file_id
where coalesce(span.recalls, '') <> 'deletion'
group by file.bank
order by file.bank
