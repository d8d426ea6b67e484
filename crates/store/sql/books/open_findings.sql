-- purpose: the findings of ledger checks that were open when the latest earlier
-- reconciled date closed.
-- grain: one discrepancy of a merchant with a ledger.
select carried.code, carried.merchant_id, carried.subject, carried.batch_date
from temp.carried as carried
where carried.code in (select code from temp.reopened_by where what = 'ledger')
  and carried.merchant_id in (select merchant_id from temp.ledger_merchant)
order by carried.code, carried.merchant_id, carried.subject
