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
    (
        select 'line ' || fault.line
            || coalesce(', column "' || fault.column_name || '"', '') || ': '
                || fault.reason
        from ledger_quarantine as fault
        where fault.file_id = file.file_id
        order by fault.line
        limit 1
    ) as first_fault
from ledger_file as file
order by file.ledger, file.path
