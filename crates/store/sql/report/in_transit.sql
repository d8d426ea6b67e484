-- purpose: the rows of in_transit.csv: money that is not due yet and has not
-- arrived, bank transfers whose settlement cannot be predicted, and card
-- transactions on hold.
-- grain: one batch, the rest of one group paid or released in part, one bank
-- transfer, or one card transaction on hold.

-- purpose: the groups with batches that are not due.
-- grain: one merchant, batch date and currency.
create temp view waiting_groups as
select *
from temp.groups
where is_checked and not is_due and unread is null and batches > 0
  and batch_date <= (select business_date from temp.asof);

-- purpose: a group without any deposit: each of its batches that is not empty.
-- grain: one batch.
create temp view waiting_batches as
select
    'batch' as kind,
    cast(batch.batch_id as text) as id,
    waiting.merchant_id,
    batch.currency,
    waiting.batch_date as date,
    waiting.due_date,
    -- Less the amounts on hold, settled elsewhere or withdrawn.
    case when waiting.unassigned is null
        then batch.sale_amount_minor - batch.return_amount_minor
            - coalesce((
                select sum(case card.transaction_type
                    when 'capture' then card.amount_minor
                    when 'return' then -abs(card.amount_minor) end)
                from temp.asof_transaction as card
                cross join temp.asof
                where asof.uses_links
                  and card.day = batch.day
                  and card.merchant_id = batch.merchant_id
                  and card.batch_id = batch.batch_id
                  and card.ach_deposit_id is null
                  and card.gone_in is null
                  and card.standing in ('held', 'held_30', 'elsewhere',
                      'withdrawn')
            ), 0)
            - coalesce((
                select elsewhere.sales_minor - elsewhere.returns_minor
                from temp.elsewhere_batches as elsewhere
                where elsewhere.batch_id = batch.batch_id
            ), 0)
            + coalesce((
                select taken.taken_minor from temp.batches_carried as taken
                where taken.batch_id = batch.batch_id
            ), 0)
    end as amount_minor,
    null as status
from temp.waiting_groups as waiting
cross join batch
    on batch.merchant_id = waiting.merchant_id
    and batch.day = waiting.batch_date
    and batch.currency is waiting.currency
where batch.gone_in is null
  and waiting.deposits = 0
  and not (
      batch.transaction_count is 0
      and batch.sale_amount_minor is 0
      and batch.return_amount_minor is 0
  )
  -- A later deposit took it.
  and batch.return_amount_minor - batch.sale_amount_minor is not (
      select nullif(taken.taken_minor, 0) from temp.batches_carried as taken
      where taken.batch_id = batch.batch_id
  );

-- purpose: the part of a group that none of its deposits holds: on hold,
-- settled elsewhere or withdrawn.
-- grain: one merchant, group and currency.
create temp view apart_figures as
select
    merchant_id,
    group_date,
    currency,
    sum(sales_minor) as sales_minor,
    sum(returns_minor) as returns_minor
from temp.group_cards
where fate in ('held', 'never')
group by merchant_id, group_date, currency
union all
select merchant_id, group_date, currency, sales_minor, returns_minor
from temp.elsewhere_groups;

-- purpose: a group paid in part: the rest, on its first batch.
-- grain: one group.
create temp view waiting_rests as
select
    'batch' as kind,
    cast(waiting.first_batch_id as text) as id,
    waiting.merchant_id,
    waiting.currency,
    waiting.batch_date as date,
    waiting.due_date,
    case when waiting.unassigned is null
        then (waiting.batch_sales_minor - waiting.batch_returns_minor)
            - (waiting.deposit_sales_minor - waiting.deposit_returns_minor)
            - coalesce(apart.sales_minor - apart.returns_minor, 0)
    end as amount_minor,
    null as status
from temp.waiting_groups as waiting
left join temp.apart_figures as apart
    on apart.merchant_id = waiting.merchant_id
    and apart.group_date = waiting.group_date
    and apart.currency = waiting.currency
where waiting.deposits > 0
  and waiting.batch_date = waiting.group_date
  and waiting.currency_problem is null
  -- Even where it is not known whether a rest is left.
  and (
      waiting.deposit_sales_minor
          >= waiting.batch_sales_minor - coalesce(apart.sales_minor, 0)
      and waiting.deposit_returns_minor
          >= waiting.batch_returns_minor - coalesce(apart.returns_minor, 0)
  ) is not true;

-- purpose: the rest of a group that is due and that the processor releases in
-- part.
-- grain: one group.
create temp view released_rests as
select
    'batch' as kind,
    cast(partial.first_batch_id as text) as id,
    partial.merchant_id,
    partial.currency,
    partial.batch_date as date,
    '' as due_date,
    (partial.below_sales_minor - partial.below_returns_minor)
        - (partial.deposit_sales_minor - partial.deposit_returns_minor)
        as amount_minor,
    null as status
from temp.partial_groups as partial
where partial.is_due
  and partial.is_checked
  and partial.unread is null
  and partial.currency_problem is null;

-- purpose: the bank transfers whose settlement is not due or cannot be
-- predicted.
-- grain: one bank transfer.
create temp view waiting_transfers as
select
    transfer.kind,
    transfer.transfer_id as id,
    transfer.merchant_id,
    transfer.currency,
    transfer.run_date as date,
    transfer.due_date,
    case transfer.kind when 'refund' then -transfer.amount_minor
        else transfer.amount_minor end as amount_minor,
    null as status
from temp.unsettled as transfer
cross join temp.asof
where transfer.is_certain and transfer.due_date > asof.business_date
union all
select
    transfer.kind,
    transfer.transfer_id,
    transfer.merchant_id,
    transfer.currency,
    coalesce(transfer.run_date, ''),
    '' as due_date,
    case transfer.kind when 'refund' then -transfer.amount_minor
        else transfer.amount_minor end,
    transfer.status
from temp.undecided as transfer;

-- purpose: the card transactions that may be on hold: no deposit holds them, or
-- one that was not sent as of D.
-- grain: one card transaction.
create temp view waiting_cards as
with days as (
    select
        date(business_date, '-' || lookback_days || ' days') as first,
        business_date as last
    from temp.asof
    where uses_links
)
select card.transaction_id
from days
cross join card_transaction as card on card.day between days.first and days.last
where card.ach_deposit_id is null
  and card.status is not null
  and card.gone_in is null
union
select card.transaction_id
from days
cross join total_after_hold as total
    on total.day between days.first and days.last
cross join card_transaction as card
    on card.day = total.day
    and card.merchant_id = total.merchant_id
    and card.ach_deposit_id = total.ach_deposit_id
where exists (
      select 1 from temp.unsent_deposits as unsent
      where unsent.ach_deposit_id = total.ach_deposit_id
  )
  and card.gone_in is null;

-- purpose: card transactions on hold: they are owed when the hold ends.
-- grain: one card transaction.
create temp view held_cards as
select
    'held' as kind,
    cast(card.transaction_id as text) as id,
    card.merchant_id,
    card.currency,
    card.day as date,
    case card.standing
        when 'held_30'
            then due(date(card.day, '+29 days'), 1, merchants.calendar)
        else ''
    end as due_date,
    case card.transaction_type when 'return' then -abs(card.amount_minor)
        else card.amount_minor end as amount_minor,
    card.status
from temp.asof as asof
cross join temp.waiting_cards as waiting
cross join temp.asof_transaction as card
    on card.transaction_id = waiting.transaction_id
inner join temp.merchants as merchants
    on merchants.merchant_id = card.merchant_id and merchants.is_checked
where card.standing = 'held'
   or (
       card.standing = 'held_30'
       and due(date(card.day, '+29 days'), 1, merchants.calendar)
           > asof.business_date
   );

select
    rows.kind,
    rows.id,
    rows.merchant_id,
    merchants.name as merchant_name,
    rows.currency,
    rows.date,
    rows.due_date,
    rows.amount_minor,
    rows.status
from (
    select * from temp.waiting_batches as whole_batches
    union all
    select * from temp.waiting_rests as rests
    union all
    select * from temp.released_rests as released
    union all
    select * from temp.waiting_transfers as transfers
    union all
    select * from temp.held_cards as held
) as rows
inner join temp.merchants as merchants
    on merchants.merchant_id = rows.merchant_id
order by rows.kind, rows.id
