-- code: DEPOSIT_RETURNS_MISMATCH
-- severity: error
-- figure: amount
-- money: more-is-short
-- subject: group
-- names: deposit batch
-- final: waits
-- owed: returns
-- needs: ach-deposits
-- reopens: group
-- rereads: deposits batches batch-day
-- confirmed: yes
-- links: yes
-- made_of: batches
-- means: The returns that a merchant's deposits deduct differ from the returns
--   in the headers of the batches they pay for.
-- explanation: The batches of merchant {merchant_id} for {batch_date} hold
--   returns of {expected} {currency}, but its deposits paid so far state
--   {actual} {currency}. {hint}
-- action: Ask the processor which returns it deducted and compare them with the
--   batch: any excess is owed to the merchant.
-- action below: Ask the processor when it deducts the rest of the returns: a
--   later deposit will be smaller by it, unless they are on hold.
-- grain: one group whose figures differ, or cannot be compared.
select
    differences.*,
    case when differences.is_below then 'below' end as action
from temp.group_differences as differences
where differences.figure = 'returns'
order by differences.subject
