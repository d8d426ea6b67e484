-- purpose: how many transactions the headers of a date's batches announce.
-- grain: one batch; ?1 business date.
select batch_id, max(coalesce(transaction_count, 0), 0) as transactions
from batch
where day = ?1 and gone_in is null
order by batch_id
