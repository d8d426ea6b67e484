-- purpose: the number of a merchant's part of every listing that a shard reads.
-- grain: at most one row; ?1 merchant.
select part
from merchant_part
where merchant_id = ?1
