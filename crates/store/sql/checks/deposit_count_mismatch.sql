-- code: DEPOSIT_COUNT_MISMATCH
-- severity: warning
-- figure: count
-- subject: group
-- names: deposit batch
-- final: waits
-- needs: ach-deposits
-- reopens: group
-- rereads: deposits batches batch-day
-- confirmed: yes
-- links: yes
-- made_of: batches
-- means: The number of transactions that a merchant's deposits cover differs
--   from the number in the headers of the batches they pay for.
-- explanation: The batches of merchant {merchant_id} for {batch_date} hold
--   {expected} transactions, but its deposits paid so far state {actual}.
--   {hint}
-- action: Compare the transactions of the batch with those of the deposit; if
--   the amounts tie out, report the count to the processor.
-- grain: one group whose figures differ, or cannot be compared.
select differences.*
from temp.group_differences as differences
where differences.figure = 'count'
order by differences.subject
