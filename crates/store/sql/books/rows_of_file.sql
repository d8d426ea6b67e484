-- purpose: what a ledger file gave before, to be compared with what it gives.
-- grain: one row of the file, in order of line; ?1 the file, ?2 the line after
-- which, ?3 how many.
select
    line,
    merchant_id,
    ledger_id,
    kind,
    date,
    amount_minor,
    currency,
    order_id,
    reference,
    last4,
    status
from ledger_record
where file_id = ?1
  and line > ?2
order by line
limit ?3
