-- code: DEPOSIT_CARRIED
-- severity: info
-- figure: amount
-- subject: deposit
-- names: nothing
-- needs: ach-deposits
-- carried: no
-- means: A balance below zero was carried into a later deposit, whose
--   adjustment takes it.
-- explanation: {balance} was {expected} {currency}; {into}, paid on {into_day},
--   takes {owed_minor} {currency} for it. {rest}
-- balance deposit: Deposit {ach_deposit_id}
-- balance batch: Batch {batch_id} of {batch_date}, which no deposit pays,
-- into one: deposit {into_ids}
-- into several: deposits {into_ids}
-- rest left: {rest_minor} {currency} of it is left.
-- action: Book the adjustment of the later deposit against the balance below
--   zero; nothing else is owed for it.
-- grain: one balance that deposits of D took, in whole or in part.
select
    carried.merchant_id,
    coalesce(cast(carried.ach_deposit_id as text), carried.batch_ids)
        as subject,
    carried.currency,
    -max(carried.balance_minor) as expected,
    -min(carried.rest_minor) as actual,
    carried.batch_date,
    case when carried.ach_deposit_id is null then carried.batch_ids end
        as batch_id,
    carried.ach_deposit_id,
    iif(count(*) = 1, 'one', 'several') as "into",
    group_concat(carried.into_deposit_id, ';' order by carried.into_deposit_id)
        as into_ids,
    carried.into_day,
    sum(carried.owed_minor) as owed_minor,
    case when min(carried.rest_minor) > 0 then 'left' end as rest,
    min(carried.rest_minor) as rest_minor,
    iif(carried.ach_deposit_id is null, 'batch', 'deposit') as balance
from temp.carried_balances as carried
cross join temp.asof as asof
where carried.into_day = asof.business_date
  and carried.owed_minor > 0
group by carried.merchant_id, carried.currency, carried.batch_date,
    carried.ach_deposit_id, carried.batch_ids
order by 2
