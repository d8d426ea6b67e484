-- code: BATCH_COUNT_MISMATCH
-- severity: warning
-- figure: count
-- subject: batch, or group
-- names: batch
-- final: waits
-- needs: batches authorizations bank-transfer-payments/settled bank-transfer-refunds/settled bank-transfer-payments/returned
-- reopens: group batch
-- rereads: items batches batch-day settled-day
-- confirmed: yes
-- nameless: authorization
-- made_of: items
-- means: The number of items in a batch differs from the number that its header states.
-- explanation: {named} states {actual} transactions, but {expected} were listed.
-- action: Compare the batch's items with the till; if the amounts tie out, report the count to the processor.
-- grain: one batch, or one merchant-day as a whole, that differs or cannot be compared.
select
    batches.merchant_id,
    batches.subject,
    batches.currency,
    batches.items as expected,
    batches.header_count as actual,
    batches.batch_date,
    batches.batch_ids as batch_id,
    batches.named,
    case
        when batches.problem is not null then batches.problem
        when batches.header_count is null then batches.named
            || ' leaves its count out'
        -- More in the header than card items may be bank transfers that nobody
        -- asked for.
        when batches.terminals_problem is not null
            and batches.header_count > batches.items
            then batches.terminals_problem
                || ', so not all its bank transfers were read'
        else batches.unclaimed
    end as problem
from temp.batch_comparisons as batches
where batches.is_checked and (
    batches.problem is not null
    or batches.header_count is null
    or batches.items is null
    or batches.items <> batches.header_count
)
order by batches.subject
