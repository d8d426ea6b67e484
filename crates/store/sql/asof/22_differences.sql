-- purpose: the sales, the returns and the count of transactions of a group
-- where the figure of its deposits differs from that of its batches, or where
-- the two cannot be compared.
-- grain: one group and figure.
create temp view group_differences as
with figures as (
    select
        groups.*,
        'sales' as figure,
        below_sales_minor as expected_figure,
        deposit_sales_minor as actual_figure,
        partial_sales_minor as partial_figure
    from temp.judged_groups as groups
    where groups.is_tested
    union all
    select
        groups.*,
        'returns',
        below_returns_minor,
        deposit_returns_minor,
        partial_returns_minor
    from temp.judged_groups as groups
    where groups.is_tested
    union all
    select
        groups.*,
        'count',
        below_transactions,
        deposit_transactions,
        partial_transactions
    from temp.judged_groups as groups
    where groups.is_tested
)
select
    figure,
    merchant_id,
    subject,
    currency,
    case when problem is null then expected_figure end as expected,
    case when problem is null then actual_figure end as actual,
    batch_date,
    batch_ids as batch_id,
    deposit_ids as ach_deposit_id,
    case when actual_figure < expected_figure then untold else '' end || near
        as hint,
    actual_figure > expected_figure as is_above,
    actual_figure < expected_figure as is_below,
    case
        when problem is not null then problem
        when below_problem is not null then below_problem
        when expected_figure is null or actual_figure is null
            then json_array('group_leaves_out', merchant_id, batch_date, figure)
        when actual_figure <> expected_figure
            then coalesce(unassigned, unclaimed)
    end as problem
from figures
where problem is not null
   or below_problem is not null
   or expected_figure is null
   or actual_figure is null
   or actual_figure > expected_figure
   -- A shortfall is in transit until the due date, and on hold where it is
   -- released in part.
   or (actual_figure < expected_figure - partial_figure and is_due);

-- purpose: the same three figures of a batch, or of a merchant-day as a whole,
-- where the header differs from the sum of the items, or where the two cannot
-- be compared.
-- grain: one row of batch_comparisons and figure.
create temp view batch_differences as
with figures as (
    select
        batches.*,
        'sales' as figure,
        items_sales_minor as expected,
        header_sales_minor as actual
    from temp.batch_comparisons as batches
    union all
    select batches.*, 'returns', items_returns_minor, header_returns_minor
    from temp.batch_comparisons as batches
    union all
    select batches.*, 'count', items, header_count
    from temp.batch_comparisons as batches
)
select
    figure,
    merchant_id,
    subject,
    currency,
    expected,
    actual,
    batch_date,
    batch_ids as batch_id,
    iif(is_whole_group, 'group', 'batch') as named,
    case
        when problem is not null then problem
        when actual is null and is_whole_group
            then json_array('batches_leave_out', batch_ids, merchant_id,
                batch_date, figure)
        when actual is null
            then json_array('batch_leaves_out', batch_ids, figure)
        when expected is null then json_array('item_without_amount')
        -- An excess of the header over the card items may be bank transfers
        -- that were not requested.
        when terminals_problem is not null and actual > expected
            then terminals_problem || json_array('so_transfers_unread')
                || terminals_remedy
        else unclaimed
    end as problem
from figures
where is_checked
  and (
      problem is not null
      or expected is null
      or actual is null
      or expected <> actual
  );
