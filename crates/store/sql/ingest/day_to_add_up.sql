-- purpose: the day of a batch whose card transactions were read again, where
-- totals of that day are kept.
-- grain: one row or none; ?1 the batch.
select card.day
from card_transaction as card
where card.batch_id = ?1
  and card.day = (select batch.day from batch where batch.batch_id = ?1)
  and exists (select 1 from transaction_total as total
      where total.day = card.day)
limit 1
