-- purpose: the configured merchants that no listing names: their books cannot
-- be judged.
-- grain: one merchant.
select merchant_id from temp.unlisted_merchants order by merchant_id
