-- code: TERMINALS_NOT_NAMED
-- severity: warning
-- figure: none
-- about: setup
-- subject: merchant, or terminal that a settled bank transfer names
-- names: nothing
-- needs: nothing
-- reopens: terminal
-- means: A merchant is configured without the key terminals, or a settled bank
--   transfer names a terminal that no merchant is configured with: differences
--   that bank transfers could explain are not evaluated.
-- explanation: {what}.
-- action: Name the merchant's processing terminals in the configuration, or set
--   terminals = [] if it takes no bank transfers. If the terminal is not the
--   merchant's, name it at its own merchant, or ask the processor about it.
-- grain: one merchant without the key for which something is not evaluated; one
-- terminal that is not configured.

-- purpose:
-- grain: one difference.
create temp view unexplained_by_transfers as
select
    batches.merchant_id,
    1 as place,
    'the totals of its batches of ' || batches.batch_date as what
from temp.batch_comparisons as batches
where batches.terminals_problem is not null
  and batches.is_checked
  and (
      batches.header_sales_minor > batches.items_sales_minor
      or batches.header_returns_minor > batches.items_returns_minor
      or batches.header_count > batches.items
  )
union all
select
    groups.merchant_id,
    2,
    'the adjustment of its deposits for ' || groups.batch_date
from temp.judged_groups as groups
where groups.is_tested
  and groups.are_returns_unknowable
  and groups.ach_adjustment_minor <> 0
union all
-- It stays open until the key is there.
select
    carried.merchant_id, 3,
    'differences that bank transfers could explain'
from temp.carried as carried
where carried.code = 'TERMINALS_NOT_NAMED';

with
without_key as (
    select
        configured.merchant_id,
        configured.merchant_id as subject,
        'Merchant ' || configured.merchant_id
            || ' is configured without the key terminals: '
            || substr(min(unexplained.place || unexplained.what), 2)
            || ' cannot be evaluated' as what
    from temp.configured_merchant as configured
    inner join temp.unexplained_by_transfers as unexplained
        on unexplained.merchant_id = configured.merchant_id
    where not configured.names_terminals
    group by configured.merchant_id
),
-- Once for each terminal, whichever merchants' listings name it.
unnamed as (
    select
        min(terminals.merchant_id) as merchant_id,
        terminals.terminal_id as subject,
        'No merchant is configured with terminal ' || terminals.terminal_id
            || ', which ' || substr(min(terminals.first_named), 11)
            || ' names, settled on '
            || substr(min(terminals.first_named), 1, 10)
            || ' in a listing of merchant '
            || group_concat(terminals.merchant_id, ', '
                order by terminals.merchant_id)
            || ': its bank transfers are not evaluated' as what
    from temp.unnamed_terminals as terminals
    group by terminals.terminal_id
)
select
    found.merchant_id,
    found.subject,
    found.what
from (
    select * from without_key
    union all
    select * from unnamed
) as found
inner join temp.merchants as merchants
    on merchants.merchant_id = found.merchant_id and merchants.is_checked
order by found.merchant_id, found.subject
