-- purpose: the ledger files as they were read last, each with the first row
-- left out of it.
-- grain: one file.
select
    file.ledger,
    file.path,
    file.rows,
    file.quarantined,
    file.absent_columns,
    file.error,
    file.last_date,
    first.line as fault_line,
    first.column_name as fault_column,
    first.reason as fault
from ledger_file as file
left join ledger_quarantine as first
    on first.file_id = file.file_id
    and first.line = (
        select min(fault.line) from ledger_quarantine as fault
        where fault.file_id = file.file_id
    )
order by file.ledger, file.path
