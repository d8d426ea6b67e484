-- purpose: the records of a ledger that carry one ledger id and are dated up to
-- a date.
-- grain: one record, in order of file and line; ?1 the ledger, ?2 the merchant,
-- ?3 the id, ?4 the date.
select
    record.merchant_id,
    record.line,
    record.ledger_id,
    record.kind,
    record.date,
    record.amount_minor,
    record.currency,
    record.order_id,
    record.reference,
    record.last4,
    record.status,
    file.path
from ledger_record as record
inner join ledger_file as file on file.file_id = record.file_id
where record.ledger_id = ?3
  and record.merchant_id = ?2
  and file.ledger = ?1
  and record.date <= ?4
order by file.path, record.line
