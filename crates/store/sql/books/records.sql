-- purpose: the records of a ledger file that are dated on or before D.
-- grain: one record, in order of line; ?1 the file, ?2 D.
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
  and date <= ?2
order by line
