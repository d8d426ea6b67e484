-- purpose: the ledger records dated on or before D of merchants that name the ledger.
-- grain: one record, in order of date, file and line.
select
    record.merchant_id,
    file.ledger,
    record.line,
    record.ledger_id,
    record.kind,
    record.date,
    record.amount_minor,
    record.currency,
    record.order_id,
    record.reference,
    record.last4,
    record.status
from temp.asof as asof
cross join ledger_record as record
inner join ledger_file as file on file.file_id = record.file_id
where record.date <= asof.business_date
  and record.merchant_id in (select merchant_id from temp.ledger_merchant)
order by record.date, file.path, record.line
