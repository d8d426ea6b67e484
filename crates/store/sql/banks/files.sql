-- purpose: the bank statements as they were read last.
-- grain: one file.
select
    file.bank,
    file.path,
    file.lines,
    file.quarantined,
    file.first_fault,
    file.error
from bank_file as file
order by file.bank, file.path
