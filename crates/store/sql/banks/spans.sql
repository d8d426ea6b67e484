-- purpose: the days that the statements of a bank account cover completely. The
-- earlier file does not cover a day that a later file recalls.
-- grain: one span of one account of one file.
-- parameters: :bank.
with
recall as materialized (
    select file.path, span.account_last4, span.first_date
    from bank_file as file
    cross join bank_span as span on span.file_id = file.file_id
    where file.bank = :bank and span.recalls is not null
)
select distinct span.account_last4, span.first_date, span.last_date
from bank_file as file
inner join bank_span as span on span.file_id = file.file_id
where file.bank = :bank
  and coalesce(span.recalls, '') <> 'deletion'
  and not exists (
      select 1
      from recall
      where recall.account_last4 = span.account_last4
        and recall.first_date = span.first_date
        and recall.first_date = span.last_date
        and recall.path > file.path
  )
order by span.account_last4, span.first_date, span.last_date
