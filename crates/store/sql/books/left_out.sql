-- purpose: the ledger rows that could not be read, with the fields that could,
-- and their places.
-- grain: one row of a file.
select
    file.ledger,
    fault.merchant_id,
    fault.kind,
    fault.date,
    fault.amount_minor,
    fault.currency,
    fault.reference,
    file.path,
    fault.line,
    fault.reason
from ledger_quarantine as fault
inner join ledger_file as file on file.file_id = fault.file_id
where file.rows > 0
order by file.path, fault.line
