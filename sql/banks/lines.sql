-- purpose: what the processor caused on a bank account up to D. A line that several files
-- repeat is one line; where it stands first names it.
-- grain: one line.
-- parameters: :bank; :first_date, the earliest date to look at.
select
    line.line_key,
    line.account_last4,
    line.date,
    line.amount_minor,
    line.currency,
    line.merchant_id,
    min(file.path || ', line ' || line.line) as place
from temp.asof as asof
inner join bank_file as file on file.bank = :bank
inner join bank_line as line on line.file_id = file.file_id
where line.date between :first_date and asof.business_date
group by line.line_key
order by line.date, line.amount_minor, line.line_key
