-- purpose: the days of which the statements of a bank account hold every line.
-- grain: one span of one account of one file.
-- parameters: :bank.
select distinct span.account_last4, span.first_date, span.last_date
from bank_file as file
inner join bank_span as span on span.file_id = file.file_id
where file.bank = :bank
order by span.account_last4, span.first_date, span.last_date
