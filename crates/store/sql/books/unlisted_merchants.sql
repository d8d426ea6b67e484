-- purpose: the configured merchants that stand in no listing: their books
-- cannot be judged.
-- grain: one merchant.
select merchant_id from temp.unlisted_merchants order by merchant_id
