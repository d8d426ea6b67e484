-- Merchants of the deposits paid on ?1 and of its batches. Grain: merchant.
select merchant_id
from deposit
where day = ?1 and merchant_id is not null
union
select merchant_id
from batch
where day = ?1 and merchant_id is not null
order by merchant_id
