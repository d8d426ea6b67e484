-- code: BATCH_COUNT_MISMATCH
-- severity: warning
-- figure: count
-- subject: batch, or group
-- names: batch
-- final: waits
-- needs: batches authorizations bank-transfer-payments/settled
--   bank-transfer-refunds/settled bank-transfer-payments/returned
-- reopens: group batch
-- rereads: items batches batch-day settled-day
-- confirmed: yes
-- nameless: authorization
-- made_of: items
-- means: The number of items in a batch differs from the number that its header
--   states.
-- explanation: {named} states {actual} transactions, but {expected} were
--   listed.
-- named batch: Batch {batch_id}
-- named group: The group of batches {batch_id} of merchant {merchant_id} on
--   {batch_date}
-- action: Compare the batch's items with the till; if the amounts tie out,
--   report the count to the processor.
-- grain: one batch, or one merchant-day as a whole, that differs or cannot be
--   compared.
select differences.*
from temp.batch_differences as differences
where differences.figure = 'count'
order by differences.subject
