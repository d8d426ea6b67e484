-- purpose: give a merchant's part of every listing the next number.
-- grain: one merchant; ?1 merchant, ?2 whether it came from another shard.
insert or ignore into merchant_part (merchant_id, joined)
values (?1, ?2)
