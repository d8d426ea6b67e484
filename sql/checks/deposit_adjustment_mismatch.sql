-- code: DEPOSIT_ADJUSTMENT_MISMATCH
-- severity: error
-- figure: amount
-- subject: group
-- names: deposit batch
-- needs: ach-deposits bank-transfer-payments/returned
-- reopens: group
-- rereads: deposits batch-day
-- confirmed: yes
-- links: yes
-- made_of: batches
-- means: The adjustment of a merchant's deposits differs from the bank transfers that came back on the batch date.
-- explanation: Bank transfers {whose} came back for {expected} {currency}, but its deposits paid so far adjust by {actual} {currency}.
-- action: List the returned bank transfers of that day and ask the processor what else the adjustment is made of.
-- grain: one group whose figures differ, or cannot be compared.
with figures as (
    select
        groups.*,
        returned_minor as expected_figure,
        ach_adjustment_minor as actual_figure,
        case when returned_problem is not null
            and (not are_returns_unknowable or ach_adjustment_minor <> 0)
            then returned_problem end as figure_problem
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
    case
        when problem is not null then problem
        when figure_problem is not null then figure_problem
        when expected_figure is null or actual_figure is null
            then 'a batch or deposit ' || whose || ' leaves its adjustment out'
        when actual_figure <> expected_figure
            then coalesce(unassigned, unclaimed)
    end as problem
from figures
where problem is not null
   or figure_problem is not null
   or expected_figure is null
   or actual_figure is null
   or actual_figure > expected_figure
   -- What falls short is in transit until the due date.
   or (actual_figure < expected_figure and is_due)
order by subject
