-- purpose: the batches that a merchant's deposits of an association date pay
-- for.
-- grain: one batch; ?1 merchant, ?2 day, ?3 and ?4 are not used.
select 'batch' as kind, cast(batch.batch_id as text) as id
from batch
where batch.merchant_id = ?1
  and batch.day = ?2
  and batch.gone_in is null
  and ?3 is not null and ?4 is not null
order by batch.batch_id
