-- purpose: the deposits paid on a date, with the group that each pays for.
-- grain: one deposit; ?1 business date.
select ach_deposit_id, merchant_id, association_date
from deposit
where day = ?1 and gone_in is null
order by ach_deposit_id
