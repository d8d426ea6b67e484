-- code: DEPOSIT_RETURNS_MISMATCH
-- severity: error
-- figure: amount
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
-- means: The returns that a merchant's deposits deduct differ from the returns in the headers of the batches they pay for.
-- explanation: The batches {whose} hold returns of {expected} {currency}, but its deposits paid so far state {actual} {currency}.{hint}
-- action: Ask the processor which returns it deducted and compare them with the batch: what it took beyond them is owed to the merchant.
-- grain: one group whose figures differ, or cannot be compared.
with figures as (
    select
        groups.*,
        below_returns_minor as expected_figure,
        deposit_returns_minor as actual_figure,
        partial_returns_minor as partial_figure,
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
        when actual_figure < expected_figure
            then 'Ask the processor when it deducts the rest of the returns: a later deposit '
                || 'will be smaller by it, unless they are on hold.'
    end as action,
    case
        when problem is not null then problem
        when figure_problem is not null then figure_problem
        when expected_figure is null or actual_figure is null
            then 'a batch or deposit ' || whose || ' leaves its returns out'
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
