-- purpose: the deposits up to D that name no merchant: a line of any statement
-- around that day may pay them.
-- grain: one deposit.
select deposit.ach_deposit_id, deposit.day
from deposit
where deposit.merchant_id is null
  and deposit.gone_in is null
  and deposit.day in (select business_date from temp.known_days)
order by deposit.ach_deposit_id
