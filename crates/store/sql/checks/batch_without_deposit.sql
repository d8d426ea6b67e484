-- code: BATCH_WITHOUT_DEPOSIT
-- severity: error
-- figure: amount
-- money: overdue
-- subject: batch
-- names: batch
-- final: waits
-- owed: all
-- needs: ach-deposits
-- reopens: group
-- rereads: batch-day
-- links: yes
-- transit: batches
-- nameless: batch
-- made_of: items
-- means: A batch is overdue: no deposit for its day has been paid by the due
--   date.
-- explanation: Batch {batch_id} of {batch_date}, {worth} {currency}, was due on
--   {due_date}, but no deposit for that day has been paid. {hint} {exceeded}
-- worth whole: worth {expected}
-- worth rest: of which later deposits left {expected}
-- action: Ask the processor where the money is; the merchant is owed this
--   amount.
-- action owes: Ask the processor when it will deduct this amount; until then
--   the merchant holds money that is not its own.
-- grain: one overdue batch, or one that might be.

-- purpose: the days of batches that may have fallen due and were not read
-- completely.
-- grain: one day.
create temp view unread_due_days as
select listing.business_date as day
from temp.asof as asof
cross join temp.failed_listing as listing
where listing.resource = 'batches'
  and listing.selector = 'date'
  and listing.business_date >= asof.window_start
  and listing.business_date >= asof.start_date
  and listing.business_date <= asof.business_date
  and exists (
      select 1 from temp.merchants as merchants
      where merchants.is_checked
        and due(
            listing.business_date, merchants.payout_days, merchants.calendar
        )
            > asof.due_after
        and due(
            listing.business_date, merchants.payout_days, merchants.calendar
        )
            <= asof.business_date
  );

-- purpose: the part of an overdue batch that no deposit will hold, or none for
-- now.
-- grain: one batch.
create temp view batches_not_owed as
select
    batch.batch_id,
    count(*) as transactions,
    coalesce(sum(case when card.transaction_type = 'capture'
        then card.amount_minor end), 0) as sales_minor,
    coalesce(sum(case when card.transaction_type = 'return'
        then abs(card.amount_minor) end), 0) as returns_minor
from temp.groups as groups
cross join temp.asof as asof
inner join temp.linked_groups as linked
    on linked.merchant_id = groups.merchant_id
        and linked.group_date = groups.group_date
inner join temp.merchants as merchants
    on merchants.merchant_id = groups.merchant_id
cross join batch
    on batch.merchant_id = groups.merchant_id
    and batch.day = groups.batch_date
    and batch.currency is groups.currency
cross join temp.asof_transaction as card
    on card.day = batch.day
    and card.merchant_id = batch.merchant_id
    and card.batch_id = batch.batch_id
where groups.is_due
  and groups.deposits = 0
  and card.gone_in is null
  and card.ach_deposit_id is null
  and (
      card.standing in ('elsewhere', 'withdrawn', 'held')
      or (
          card.standing = 'held_30'
          and due(date(card.day, '+29 days'), 1, merchants.calendar)
              > asof.business_date
      )
  )
group by batch.batch_id
union all
select batch_id, transactions, sales_minor, returns_minor
from temp.elsewhere_batches;

-- purpose: the batches that are overdue, or that might be.
-- grain: one batch.
create temp view unpaid_batches as
select
    groups.merchant_id,
    groups.group_date,
    groups.currency,
    groups.batch_date,
    groups.due_date,
    coalesce(groups.unread, groups.unassigned) as group_problem,
    batch.batch_id,
    batch.sale_amount_minor,
    batch.return_amount_minor,
    batch.transaction_count,
    coalesce(taken.taken_minor, 0) as taken_minor,
    batch.sale_amount_minor - batch.return_amount_minor
        - coalesce(rest.sales_minor - rest.returns_minor, 0)
        + coalesce(taken.taken_minor, 0) as owed_minor
from temp.groups as groups
cross join temp.asof as asof
inner join batch
    on batch.merchant_id = groups.merchant_id
    and batch.day = groups.batch_date
    and batch.currency is groups.currency
left join temp.batches_not_owed as rest on rest.batch_id = batch.batch_id
left join temp.batches_carried as taken on taken.batch_id = batch.batch_id
where batch.gone_in is null
  and groups.is_checked
  and groups.batch_date >= asof.start_date
  and (
      (
          groups.is_due
          and groups.is_tested
          and (groups.deposits = 0 or groups.unread is not null)
          -- A balance below zero that was carried is no longer owed.
          and not exists (
              select 1 from temp.carried_balances as carried
              where carried.merchant_id = groups.merchant_id
                and carried.batch_date = groups.batch_date
                and carried.ach_deposit_id is null
                and carried.rest_minor = 0
          )
          -- Of one whose sales equal its returns nothing is owed.
          and batch.sale_amount_minor - batch.return_amount_minor
              + coalesce(taken.taken_minor, 0)
              is not coalesce(rest.sales_minor - rest.returns_minor, 0)
      )
      -- For a batch of D, the listings that show whether it is paid or due were
      -- not read completely.
      or (
          not groups.is_due
          and groups.batch_date = asof.business_date
          and groups.unread is not null
      )
  );

select
    unpaid.merchant_id,
    cast(unpaid.batch_id as text) as subject,
    unpaid.currency,
    unpaid.owed_minor as expected,
    0 as actual,
    unpaid.batch_date,
    unpaid.batch_id,
    unpaid.due_date,
    iif(unpaid.taken_minor > 0, 'rest', 'whole') as worth,
    case when unpaid.owed_minor < 0 then 'owes' end as action,
    iif(asof.uses_links, '', json_array('untold')) || coalesce((
        select elsewhere.hint from temp.elsewhere_groups as elsewhere
        where elsewhere.merchant_id = unpaid.merchant_id
          and elsewhere.group_date = unpaid.group_date
          and elsewhere.currency = unpaid.currency
    ), '')
    || coalesce((
        select hints.hint from temp.run_hints as hints
        where hints.merchant_id = unpaid.merchant_id
          and hints.day = unpaid.batch_date
    ), '') as hint,
    coalesce((
        select group_concat(exceeded.said, ' ')
        from temp.exceeded_balances as exceeded
        where exceeded.merchant_id = unpaid.merchant_id
          and exceeded.batch_date = unpaid.batch_date
          and exceeded.currency = unpaid.currency
          and exceeded.ach_deposit_id is null
    ), '') as exceeded,
    case
        when unpaid.group_problem is not null then unpaid.group_problem
        -- Its status may mean that nothing is owed.
        when exists (
            select 1 from temp.linked_cards as cards
            where cards.merchant_id = unpaid.merchant_id
              and cards.group_date = unpaid.group_date
              and cards.unpublished > 0
        )
            then json_array(
                'cards_unpublished', unpaid.merchant_id, unpaid.group_date
            )
        when unpaid.sale_amount_minor is null
            or unpaid.return_amount_minor is null
            or unpaid.transaction_count is null
            then json_array('batch_without_figures', unpaid.batch_id)
        when unpaid.currency is null
            then json_array('batch_names_no_currency', unpaid.batch_id)
    end as problem
from temp.unpaid_batches as unpaid
cross join temp.asof as asof
union all
select
    '' as merchant_id,
    unread.day as subject,
    null as currency,
    null as expected,
    null as actual,
    unread.day as batch_date,
    null as batch_id,
    null as due_date,
    'whole' as worth,
    null as action,
    '' as hint,
    '' as exceeded,
    json_array('batches_unread', unread.day) as problem
from temp.unread_due_days as unread
order by batch_id
