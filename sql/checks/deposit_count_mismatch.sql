-- code: DEPOSIT_COUNT_MISMATCH
-- severity: warning
-- figure: count
-- subject: group
-- names: deposit batch
-- final: waits
-- needs: ach-deposits
-- reopens: group
-- rereads: deposits batches batch-day
-- confirmed: yes
-- links: yes
-- made_of: batches
-- means: The number of transactions that a merchant's deposits cover differs from the number in the headers of the batches they pay for.
-- explanation: The batches {whose} hold {expected} transactions, but its deposits paid so far state {actual}.{hint}
-- action: Compare the transactions of the batch with those of the deposit; if the amounts tie out, report the count to the processor.
-- grain: one group whose figures differ, or cannot be compared.
with figures as (
    select
        groups.*,
        below_transactions as expected_figure,
        deposit_transactions as actual_figure,
        partial_transactions as partial_figure,
        below_problem as figure_problem
    from temp.judged_groups as groups
)
select
    merchant_id,
    subject,
    currency,
    case when problem is null then expected_figure end as expected,
    case when problem is null then actual_figure end as actual,
    batch_date,
    batch_ids as batch_id,
    deposit_ids as ach_deposit_id,
    whose,
    case when actual_figure < expected_figure then untold else '' end || near
        as hint,
    case
        when problem is not null then problem
        when figure_problem is not null then figure_problem
        when expected_figure is null or actual_figure is null
            then 'a batch or deposit ' || whose || ' leaves its count out'
        when actual_figure <> expected_figure
            then coalesce(unassigned, unclaimed)
    end as problem
from figures
where problem is not null
   or figure_problem is not null
   or expected_figure is null
   or actual_figure is null
   or actual_figure > expected_figure
   -- What falls short is in transit until the due date, and on hold where it is
   -- released in part.
   or (actual_figure < expected_figure - partial_figure and is_due)
order by subject
