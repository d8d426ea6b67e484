-- purpose: note that a merchant is in another shard: if it comes back, it has
-- joined.
-- grain: one merchant; ?1 merchant.
update merchant_part
set joined = 1
where merchant_id = ?1
