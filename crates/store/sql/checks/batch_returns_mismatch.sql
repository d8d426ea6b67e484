-- code: BATCH_RETURNS_MISMATCH
-- severity: error
-- figure: amount
-- money: more-is-short
-- subject: batch, or group
-- names: batch
-- final: waits
-- needs: batches authorizations bank-transfer-payments/settled
--   bank-transfer-refunds/settled bank-transfer-payments/returned
-- reopens: group batch
-- rereads: items batches batch-day settled-day
-- confirmed: yes
-- made_of: items
-- means: The returns in a batch do not add up to the returns that its header
--   states.
-- explanation: {named} states returns of {actual} {currency}, but its items add
--   up to {expected} {currency}.
-- named batch: Batch {batch_id}
-- named group: The group of batches {batch_id} of merchant {merchant_id} on
--   {batch_date}
-- action: Find the return that is in the header and not among the items, in the
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
where differences.figure = 'returns'
order by differences.subject
