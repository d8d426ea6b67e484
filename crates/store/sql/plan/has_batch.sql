-- purpose: whether a merchant has a batch on a day.
-- grain: one row; ?1 merchant, ?2 day.
select exists (
    select 1 from batch where merchant_id = ?1 and day = ?2 and gone_in is null
)
