-- purpose: the newest record date of each ledger.
-- grain: one ledger whose files hold records.
select file.ledger as name, max(file.last_date) as day
from ledger_file as file
where file.last_date is not null
group by file.ledger
order by file.ledger
