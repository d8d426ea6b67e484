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
-- explanation: {found} {unexplained}.
-- found without_key: Merchant {merchant_id} is configured without the key
--   terminals:
-- found unnamed: No merchant is configured with terminal {subject}, which
--   {first_named} names, settled on {day} in a listing of merchant {merchants}:
--   its bank transfers are not evaluated
-- unexplained totals: the totals of its batches of {day} cannot be evaluated
-- unexplained adjustment: the adjustment of its deposits for {day} cannot be
--   evaluated
-- unexplained others: differences that bank transfers could explain cannot be
--   evaluated
-- action: Name the merchant's processing terminals in the configuration, or set
--   terminals = [] if it takes no bank transfers. If the terminal is not the
--   merchant's, name it at its own merchant, or ask the processor about it.
-- grain: one merchant without the key for which something is not evaluated; one
-- terminal that is not configured.

-- purpose: the differences of a merchant without the key, the first of which
-- is named.
-- grain: one difference.
create temp view unexplained_by_transfers as
select
    batches.merchant_id,
    1 as place,
    batches.batch_date as day
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
    groups.batch_date
from temp.judged_groups as groups
where groups.is_tested
  and groups.are_returns_unknowable
  and groups.ach_adjustment_minor <> 0
union all
-- It stays open until the key is there.
select
    carried.merchant_id, 3, ''
from temp.carried as carried
where carried.code = 'TERMINALS_NOT_NAMED';

with
without_key as (
    select
        configured.merchant_id,
        configured.merchant_id as subject,
        'without_key' as found,
        min(unexplained.place || unexplained.day) as first_unexplained,
        null as first_named,
        null as merchants
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
        'unnamed',
        null,
        min(terminals.first_named),
        group_concat(terminals.merchant_id, ', '
            order by terminals.merchant_id)
    from temp.unnamed_terminals as terminals
    group by terminals.terminal_id
)
select
    found.merchant_id,
    found.subject,
    found.found,
    case substr(found.first_unexplained, 1, 1)
        when '1' then 'totals'
        when '2' then 'adjustment'
        when '3' then 'others'
    end as unexplained,
    coalesce(substr(found.first_unexplained, 2),
        substr(found.first_named, 1, 10)) as day,
    substr(found.first_named, 11) as first_named,
    found.merchants
from (
    select * from without_key
    union all
    select * from unnamed
) as found
inner join temp.merchants as merchants
    on merchants.merchant_id = found.merchant_id and merchants.is_checked
order by found.merchant_id, found.subject
