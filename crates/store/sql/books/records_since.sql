-- purpose: the records of a ledger file that are dated after a date and on or
-- before D.
-- grain: one record, in order of line; ?1 the file, ?2 D, ?3 the date before.
select
    merchant_id,
    line,
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
  and date > ?3
  and date <= ?2
-- In order of line the whole file would be gone through.
order by +line
