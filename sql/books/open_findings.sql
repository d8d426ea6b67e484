-- purpose: what a ledger check had open when the latest earlier reconciled date closed.
-- grain: one discrepancy of a merchant with a ledger.
select carried.code, carried.merchant_id, carried.subject, carried.batch_date
from temp.carried as carried
where carried.code in (
    'MISSING_IN_LEDGER', 'MISSING_AT_PROCESSOR', 'AMOUNT_MISMATCH', 'CURRENCY_MISMATCH',
    'STATUS_MISMATCH', 'DUPLICATE_IN_LEDGER', 'AMBIGUOUS_MATCH'
)
  and carried.merchant_id in (select merchant_id from temp.ledger_merchant)
order by carried.code, carried.merchant_id, carried.subject
