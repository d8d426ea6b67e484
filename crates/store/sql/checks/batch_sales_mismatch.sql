-- code: BATCH_SALES_MISMATCH
-- severity: error
-- figure: amount
-- subject: batch, or group
-- names: batch
-- final: waits
-- needs: batches authorizations bank-transfer-payments/settled
--   bank-transfer-refunds/settled bank-transfer-payments/returned
-- reopens: group batch
-- rereads: items batches batch-day settled-day
-- confirmed: yes
-- made_of: items
-- means: The sales in a batch do not add up to the sales that its header
--   states.
-- explanation: {named} states sales of {actual} {currency}, but its items add
--   up to {expected} {currency}.
-- named batch: Batch {batch_id}
-- named group: The group of batches {batch_id} of merchant {merchant_id} on
--   {batch_date}
-- action: Find the sale that is in the header and not among the items, in the
--   till or the terminal's batch report, and report it to the processor.
-- action twice: Find the item that is listed twice or belongs to another batch,
--   and report it to the processor: the deposit follows the header.
-- grain: one batch, or one merchant-day as a whole, that differs or cannot be
--   compared.
select
    differences.*,
    case when differences.actual < differences.expected then 'twice' end
        as action
from temp.batch_differences as differences
where differences.figure = 'sales'
order by differences.subject
