-- code: BATCH_RETURNS_MISMATCH
-- severity: error
-- figure: amount
-- subject: batch, or group
-- names: batch
-- final: waits
-- needs: batches authorizations bank-transfer-payments/settled bank-transfer-refunds/settled bank-transfer-payments/returned
-- reopens: group batch
-- rereads: items batches batch-day settled-day
-- confirmed: yes
-- made_of: items
-- means: The returns in a batch do not add up to the returns that its header states.
-- explanation: {named} states returns of {actual} {currency}, but its items add up to {expected} {currency}.
-- action: Find the return that is in the header and not among the items, in the till or the terminal's batch report, and report it to the processor.
-- grain: one batch, or one merchant-day as a whole, that differs or cannot be compared.
select
    batches.merchant_id,
    batches.subject,
    batches.currency,
    batches.items_returns_minor as expected,
    batches.header_returns_minor as actual,
    batches.batch_date,
    batches.batch_ids as batch_id,
    batches.named,
    case
        when batches.header_returns_minor < batches.items_returns_minor
            then 'Find the item that is listed twice or belongs to another batch, and report it '
                || 'to the processor: the deposit follows the header.'
    end as action,
    case
        when batches.problem is not null then batches.problem
        when batches.header_returns_minor is null then batches.named
            || ' leaves its returns out'
        when batches.items_returns_minor is null
            then 'an item of it has no amount'
        -- More in the header than card items may be bank transfers that nobody
        -- asked for.
        when batches.terminals_problem is not null
            and batches.header_returns_minor > batches.items_returns_minor
            then batches.terminals_problem
                || ', so not all its bank transfers were read'
        else batches.unclaimed
    end as problem
from temp.batch_comparisons as batches
where batches.is_checked and (
    batches.problem is not null
    or batches.header_returns_minor is null
    or batches.items_returns_minor is null
    or batches.items_returns_minor <> batches.header_returns_minor
)
order by batches.subject
