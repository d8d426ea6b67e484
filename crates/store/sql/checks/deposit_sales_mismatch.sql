-- code: DEPOSIT_SALES_MISMATCH
-- severity: error
-- figure: amount
-- subject: group
-- names: deposit batch
-- final: waits
-- owed: shortfall
-- needs: ach-deposits
-- reopens: group
-- rereads: deposits batches batch-day
-- confirmed: yes
-- links: yes
-- made_of: batches
-- means: The sales that a merchant's deposits pay for differ from the sales in
--   the headers of the batches they pay for.
-- explanation: The batches of merchant {merchant_id} for {batch_date} hold
--   sales of {expected} {currency}, but its deposits paid so far state {actual}
--   {currency}. {hint}
-- action: Ask the processor for the transactions behind the deposit and compare
--   them with the batch: an amount that is missing after the due date is owed
--   to the merchant.
-- action above: Ask the processor which sales the deposit pays beyond the
--   batches: a batch may be missing from its listing, or the merchant was paid
--   too much and will be debited.
-- grain: one group whose figures differ, or cannot be compared.
select
    differences.*,
    case when differences.is_above then 'above' end as action
from temp.group_differences as differences
where differences.figure = 'sales'
order by differences.subject
