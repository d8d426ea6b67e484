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
-- explanation: Batch {batch_id} of {batch_date}, worth {expected} {currency},
--   was due on {due_date}, but no deposit for that day has been paid.{hint}
-- action: Ask the processor where the money is; the merchant is owed this
--   amount.
-- grain: one overdue batch, or one that might be.
with
-- The part of an overdue batch that no deposit will hold, or none for now.
not_owed as (
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
    cross join standing_transaction as card
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
    from temp.elsewhere_batches
)
select
    groups.merchant_id,
    cast(batch.batch_id as text) as subject,
    groups.currency,
    batch.sale_amount_minor - batch.return_amount_minor
        - coalesce(rest.sales_minor - rest.returns_minor, 0) as expected,
    0 as actual,
    groups.batch_date,
    batch.batch_id,
    groups.due_date,
    case when not asof.uses_links
        then ' Money may be on hold or settled elsewhere; this key cannot tell.'
        else '' end
    || coalesce((
        select elsewhere.hint from temp.elsewhere_groups as elsewhere
        where elsewhere.merchant_id = groups.merchant_id
          and elsewhere.group_date = groups.group_date
          and elsewhere.currency = groups.currency
    ), '')
    || coalesce((
        select hints.hint from temp.run_hints as hints
        where hints.merchant_id = groups.merchant_id
          and hints.day = groups.batch_date
    ), '')
    || coalesce((
        select group_concat(exceeded.said, '')
        from temp.exceeded_balances as exceeded
        where exceeded.merchant_id = groups.merchant_id
          and exceeded.batch_date = groups.batch_date
          and exceeded.currency = groups.currency
          and exceeded.ach_deposit_id is null
    ), '') as hint,
    case
        when coalesce(groups.unread, groups.unassigned) is not null
            then coalesce(groups.unread, groups.unassigned)
        -- Its status may mean that nothing is owed.
        when exists (
            select 1 from temp.linked_cards as cards
            where cards.merchant_id = groups.merchant_id
              and cards.group_date = groups.group_date
              and cards.unpublished > 0
        )
            then 'a card transaction of merchant ' || groups.merchant_id
                || ' for ' || groups.group_date
                || ' has a status that is not published'
        when batch.sale_amount_minor is null
            or batch.return_amount_minor is null
            or batch.transaction_count is null
            then 'batch ' || batch.batch_id
                || ' leaves its sales, returns or count out'
        when batch.currency is null then 'batch ' || batch.batch_id
            || ' names no currency'
    end as problem
from temp.groups as groups
cross join temp.asof as asof
inner join batch
    on batch.merchant_id = groups.merchant_id
    and batch.day = groups.batch_date
    and batch.currency is groups.currency
left join not_owed as rest on rest.batch_id = batch.batch_id
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
                and (
                    carried.rest_minor = 0
                    or carried.until_date > asof.business_date
                )
          )
          and not (
              batch.sale_amount_minor is coalesce(rest.sales_minor, 0)
              and batch.return_amount_minor is coalesce(rest.returns_minor, 0)
              and batch.transaction_count is coalesce(rest.transactions, 0)
          )
      )
      -- For a batch of D, the listings that show whether it is paid or due were
      -- not read completely.
      or (
          not groups.is_due
          and groups.batch_date = asof.business_date
          and groups.unread is not null
      )
  )
union all
-- A batch of a day that was not read completely may have fallen due as well.
select
    '' as merchant_id,
    listing.business_date as subject,
    null as currency,
    null as expected,
    null as actual,
    listing.business_date as batch_date,
    null as batch_id,
    null as due_date,
    '' as hint,
    'the batches of ' || listing.business_date
        || ' were not read completely' as problem
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
  )
order by batch_id
