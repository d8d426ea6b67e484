-- purpose: the card types whose company may have a contract of its own with a
-- merchant and pay it, in the order in which they are taken off a shortfall.
-- grain: one card type.
create temp table contract_types (
    place integer not null primary key,
    card_type text not null unique
) strict;
insert into temp.contract_types (place, card_type) values
    (1, 'amex'), (2, 'jcbNonSettled'), (3, 'discoverRetained'),
    (4, 'wrightExpress'), (5, 'voyager'), (6, 'fuelman'), (7, 'privateLabel');

-- purpose: what is left of a near date's batches without what a card company
-- pays itself: all items of one such card type, or of all of them. Not of a
-- type of which a date with such an item ties out as it is.
-- grain: one merchant, date and choice; 0 is all types.
create temp table near_contracts as
with
items as materialized (
    select
        sums.merchant_id,
        sums.day,
        item.card_type,
        sums.batch_sales_minor = sums.deposit_sales_minor
            and sums.batch_returns_minor = sums.deposit_returns_minor
            and sums.batch_transactions = sums.deposit_transactions
            as is_tied,
        count(*) as transactions,
        count(*) = count(item.amount_minor) as is_known,
        sum(iif(item.transaction_type = 'capture', item.amount_minor, 0))
            as sales_minor,
        sum(iif(item.transaction_type = 'return', abs(item.amount_minor), 0))
            as returns_minor
    from temp.near_sums as sums
    cross join temp.asof as asof
    cross join batch
        on batch.merchant_id = sums.merchant_id and batch.day = sums.day
    cross join contract_card as item
        on item.day = batch.day and item.batch_id = batch.batch_id
    where not asof.uses_links
      and batch.gone_in is null
    group by sums.merchant_id, sums.day, item.card_type
),
elsewhere as (
    select items.*, types.place
    from items
    inner join temp.contract_types as types
        on types.card_type = items.card_type
    where items.is_known
      and (items.merchant_id, items.card_type) not in (
          select merchant_id, card_type from items where is_tied
      )
),
choices as (
    select merchant_id, day, place as choice, sales_minor, returns_minor,
        transactions
    from elsewhere
    union all
    select merchant_id, day, 0, sum(sales_minor), sum(returns_minor),
        sum(transactions)
    from elsewhere
    group by merchant_id, day
)
select
    choices.*,
    sums.batch_sales_minor - choices.sales_minor as rest_sales_minor,
    sums.batch_returns_minor - choices.returns_minor as rest_returns_minor,
    sums.batch_transactions - choices.transactions as rest_transactions
from choices
inner join temp.near_sums as sums
    on sums.merchant_id = choices.merchant_id and sums.day = choices.day;
create index temp.near_contracts_key on near_contracts (merchant_id, day);

-- purpose: what is left of a date's batches in each choice.
-- grain: one merchant, date and choice.
create temp view near_rests as
select merchant_id, day, rest_sales_minor, rest_returns_minor, rest_transactions
from temp.near_contracts;

-- purpose: the dates around a deposit that does not agree with the batches of
-- its own association date, and whether each ties out by itself.
-- grain: one merchant and date, except dates in another currency.
create temp table near_dates as
with marked as (
    select
        sums.*,
        -- A deposit that pays for this date and holds card transactions of
        -- other dates joins it with them.
        (batches = 0 or not are_of_other_dates)
        and (
            (
                batch_sales_minor = deposit_sales_minor
                and batch_returns_minor = deposit_returns_minor
                and batch_transactions = deposit_transactions
            )
            or (
                deposits > 0
                and (sums.merchant_id, day, deposit_sales_minor,
                    deposit_returns_minor, deposit_transactions)
                    in temp.near_rests
            )
            or (
                has_cards
                and batch_sales_minor + awaited_sales_minor
                    = deposit_sales_minor
                and batch_returns_minor + awaited_returns_minor
                    = deposit_returns_minor
                and batch_transactions + awaited_transactions
                    = deposit_transactions
            )
        ) as is_tied,
        -- Its batches have several currencies.
        sums.currencies > 1
            or (sums.batches > 0 and sums.currency is null) as is_apart,
        -- Skipped: all its batches are empty, or hold what a card company pays
        -- itself, and no deposit names it; or it has no batch and its deposits
        -- only adjust.
        (deposits = 0 or batches = 0)
            and (
                (batch_sales_minor = 0
                    and batch_returns_minor = 0
                    and batch_transactions = 0)
                or (sums.merchant_id, day, 0, 0, 0)
                    in temp.near_rests
            )
            and deposit_sales_minor = 0
            and deposit_returns_minor = 0
            and deposit_transactions = 0 as is_empty,
        -- Links name the deposits that have paid for all of it.
        coalesce(is_all_linked, 0)
            and awaited_transactions = 0
            and deposits = 0
            and batch_sales_minor = 0
            and batch_returns_minor = 0
            and batch_transactions = 0 as is_settled
    from temp.near_sums as sums
    inner join temp.near_currencies as main
        on main.merchant_id = sums.merchant_id
    -- A date in another currency belongs to another sequence of dates.
    where sums.currencies <> 1
       or sums.currency is null
       or sums.currency is main.currency
)
select
    marked.*,
    -- The dates between two tied dates form one stretch.
    sum(
        is_apart
        or coalesce(is_settled, 0)
        or (coalesce(is_tied, 0) and not coalesce(is_empty, 0))
    ) over (partition by merchant_id order by day) as stretch
from marked;
create unique index temp.near_dates_key on near_dates (merchant_id, day);

-- purpose: the dates around a deposit that do not tie out by themselves.
-- grain: one merchant and date.
create temp view open_dates as
select * from temp.near_dates
where is_tied is not 1 and is_empty is not 1 and not is_apart;

-- purpose: pairs of dates that span at most five banking days, and whether both
-- ends have batches, or deposits.
-- grain: one merchant, first and last date.
create temp table open_spans as
select
    first.merchant_id,
    first.stretch,
    first.day as first_day,
    last.day as last_day,
    first.batches > 0 and last.batches > 0 as is_of_batches,
    first.deposits > 0 and last.deposits > 0 as is_of_deposits
from temp.open_dates as first
inner join temp.merchants as merchants
    on merchants.merchant_id = first.merchant_id
inner join temp.open_dates as last
    on last.merchant_id = first.merchant_id
    and last.stretch = first.stretch
    and last.day >= first.day
where banking_days(first.day, last.day, merchants.calendar) <= 5;

-- purpose: the sums of the batches of consecutive batch dates: whole (-1), and
-- less what a card company pays itself.
-- grain: one merchant, first and last batch date, and choice.
create temp table batch_spans as
with choices as (
    select distinct merchant_id, -1 as choice from temp.open_spans
    union
    select merchant_id, choice from temp.near_contracts
)
select
    spans.merchant_id, spans.stretch, spans.first_day, spans.last_day,
    sum(inner_day.batch_sales_minor - coalesce(contracts.sales_minor, 0))
        as sales_minor,
    sum(inner_day.batch_returns_minor - coalesce(contracts.returns_minor, 0))
        as returns_minor,
    sum(inner_day.batch_transactions - coalesce(contracts.transactions, 0))
        as transactions
from temp.open_spans as spans
inner join choices on choices.merchant_id = spans.merchant_id
inner join temp.open_dates as inner_day
    on inner_day.merchant_id = spans.merchant_id
    and inner_day.day between spans.first_day and spans.last_day
left join temp.near_contracts as contracts
    on contracts.merchant_id = inner_day.merchant_id
    and contracts.day = inner_day.day
    and contracts.choice = choices.choice
where spans.is_of_batches
group by spans.merchant_id, spans.stretch, spans.first_day, spans.last_day,
    choices.choice
having count(*) = count(inner_day.batch_sales_minor)
   and count(*) = count(inner_day.batch_returns_minor)
   and count(*) = count(inner_day.batch_transactions)
   and (choices.choice < 0 or count(contracts.choice) > 0);

-- purpose: the sums of the deposits of consecutive association dates.
-- grain: one merchant, first and last association date.
create temp table deposit_spans as
select
    spans.merchant_id, spans.stretch,
    spans.first_day as first_association,
    spans.last_day as last_association,
    sum(inner_day.deposit_sales_minor) as sales_minor,
    sum(inner_day.deposit_returns_minor) as returns_minor,
    sum(inner_day.deposit_transactions) as transactions,
    min(case when inner_day.deposits > 0 then inner_day.first_ach_date end)
        as first_ach_date
from temp.open_spans as spans
inner join temp.open_dates as inner_day
    on inner_day.merchant_id = spans.merchant_id
    and inner_day.day between spans.first_day and spans.last_day
where spans.is_of_deposits
group by spans.merchant_id, spans.stretch, spans.first_day, spans.last_day
having count(*) = count(inner_day.deposit_sales_minor)
   and count(*) = count(inner_day.deposit_returns_minor)
   and count(*) = count(inner_day.deposit_transactions);

-- purpose: consecutive batch dates that consecutive deposits of other dates pay
-- to the cent.
-- grain: one choice of batch dates and of association dates.
create temp table run_candidates as
select distinct
    spans.merchant_id,
    spans.first_day,
    spans.last_day,
    paid.first_association,
    paid.last_association
from temp.batch_spans as spans
inner join temp.merchants as merchants
    on merchants.merchant_id = spans.merchant_id
inner join temp.deposit_spans as paid
    on paid.merchant_id = spans.merchant_id
    and paid.stretch = spans.stretch
    and paid.sales_minor = spans.sales_minor
    and paid.returns_minor = spans.returns_minor
    and paid.transactions = spans.transactions
where paid.first_ach_date >= spans.last_day
  and banking_days(
      min(spans.first_day, paid.first_association),
      max(spans.last_day, paid.last_association),
      merchants.calendar
  ) <= 5
  and (
      paid.first_association >= spans.first_day
      or max(1,
          banking_days(paid.first_association, spans.first_day,
          merchants.calendar)) = 1
  )
  and (
      paid.last_association <= spans.last_day
      or max(1,
          banking_days(spans.last_day, paid.last_association,
          merchants.calendar)) = 1
  );

-- purpose: the runs: those with no smaller one inside that share no date with
-- another.
-- grain: one run.
create temp table group_runs as
with smallest as (
    select one.*
    from temp.run_candidates as one
    where not exists (
        select 1 from temp.run_candidates as other
        where other.merchant_id = one.merchant_id
          and other.first_day >= one.first_day
          and other.last_day <= one.last_day
          and other.first_association >= one.first_association
          and other.last_association <= one.last_association
          and (other.first_day, other.last_day, other.first_association,
              other.last_association)
              <> (one.first_day, one.last_day, one.first_association,
                  one.last_association)
    )
)
select one.*
from smallest as one
where not exists (
    select 1 from smallest as other
    where other.merchant_id = one.merchant_id
      and (other.first_day, other.last_day, other.first_association,
          other.last_association)
          <> (one.first_day, one.last_day, one.first_association,
              one.last_association)
      and (
          (other.first_day <= one.last_day and other.last_day >= one.first_day)
          or (
              other.first_association <= one.last_association
              and other.last_association >= one.first_association
          )
      )
);

-- purpose: the batch dates of each run, and the dates without batches that its
-- deposits name.
-- grain: one merchant and date.
create temp table run_days as
select
    runs.merchant_id,
    near.day,
    runs.first_day,
    runs.last_day
from temp.group_runs as runs
inner join temp.open_dates as near
    on near.merchant_id = runs.merchant_id
    and iif(
        near.batches > 0,
        near.day between runs.first_day and runs.last_day,
        near.deposits > 0
            and near.day
                between runs.first_association and runs.last_association
    );
create unique index temp.run_days_key on run_days (merchant_id, day);

-- purpose: the groups that runs become. Links connect the dates of a run with
-- other dates: those of its card transactions, and those whose card
-- transactions its deposits hold.
-- grain: one merchant, run and date of its group.
create temp table run_reach as
with recursive
member_days as (
    select run_days.merchant_id, run_days.first_day, run_days.day
    from temp.run_days as run_days
    inner join temp.open_dates as near
        on near.merchant_id = run_days.merchant_id
        and near.day = run_days.day
    where near.batches > 0
    union
    select runs.merchant_id, runs.first_day, total.day
    from temp.group_runs as runs
    cross join temp.asof as asof
    cross join temp.near_deposits as paid
        on paid.merchant_id = runs.merchant_id
        and paid.day between runs.first_association and runs.last_association
        and paid.is_linked
    cross join transaction_total as total
        on total.ach_deposit_id = paid.ach_deposit_id
        and total.ach_deposit_id <> 0
        and total.merchant_id = runs.merchant_id
    where total.day <= asof.business_date
),
walk (merchant_id, start, day) as (
    select merchant_id, first_day, day from member_days
    union
    select walk.merchant_id, walk.start, other.day
    from walk
    cross join temp.asof as asof
    cross join transaction_total as one
        on one.day = walk.day and one.merchant_id = walk.merchant_id
    cross join transaction_total as other
        on other.ach_deposit_id = one.ach_deposit_id
    where asof.uses_links
      and one.ach_deposit_id <> 0
      and other.ach_deposit_id <> 0
      and other.merchant_id = walk.merchant_id
      and other.day <= asof.business_date
    union
    select walk.merchant_id, walk.start, other.day
    from walk
    inner join member_days as own
        on own.merchant_id = walk.merchant_id and own.day = walk.day
    inner join member_days as other
        on other.merchant_id = own.merchant_id
        and other.first_day = own.first_day
)
select
    merchant_id,
    start as first_day,
    day,
    min(day) over (partition by merchant_id, start) as group_date,
    max(day) over (partition by merchant_id, start) as last_date
from walk;

-- purpose: the association dates whose deposits pay for a run. The batches of
-- such a date may belong to another group: where each deposit is dated a day
-- late, they all do.
-- grain: one merchant and association date.
create temp table run_associations as
select distinct runs.merchant_id, near.day, reach.group_date
from temp.group_runs as runs
inner join temp.run_reach as reach
    on reach.merchant_id = runs.merchant_id
    and reach.first_day = runs.first_day
inner join temp.open_dates as near
    on near.merchant_id = runs.merchant_id
    and near.deposits > 0
    and near.day between runs.first_association and runs.last_association;
create unique index temp.run_associations_key
    on run_associations (merchant_id, day);

-- purpose: assign the days of a run to its group, which is named after its
-- earliest batch date and due by its latest; a day that D did not look at is
-- added.
-- grain: one merchant and batch date.
insert into temp.group_days (
    merchant_id, batch_date, group_date, last_date, is_paid_today,
        is_asked_again, was_in_transit
)
select merchant_id, day, group_date, last_date, 0, 0, 0
from temp.run_reach
union
select days.merchant_id, days.day, reach.group_date, reach.last_date, 0, 0, 0
from temp.run_days as days
inner join temp.run_reach as reach
    on reach.merchant_id = days.merchant_id
    and reach.first_day = days.first_day
where true
on conflict (merchant_id, batch_date) do update set
    group_date = excluded.group_date,
    last_date = excluded.last_date;
update temp.group_days set (is_paid_today, is_asked_again, was_in_transit) = (
    select max(other.is_paid_today), max(other.is_asked_again),
        max(other.was_in_transit)
    from temp.group_days as other
    left join temp.run_associations as paid
        on paid.merchant_id = other.merchant_id
        and paid.day = other.batch_date
    where other.merchant_id = group_days.merchant_id
      and group_days.group_date in (other.group_date, paid.group_date)
)
where (merchant_id, group_date) in
    (select merchant_id, group_date from temp.run_reach);

-- purpose: re-evaluate a date that neither ties nor belongs to a run while a
-- date near it is looked at: it may have belonged to a run on an earlier date.
-- grain: one merchant and batch date.
insert into temp.group_days (
    merchant_id, batch_date, group_date, last_date, is_paid_today,
        is_asked_again, was_in_transit
)
select dates.merchant_id, dates.day, dates.day, dates.day, 0, 1, 0
from temp.open_dates as dates
cross join temp.asof as asof
where dates.day between asof.start_date and asof.business_date
  and (dates.merchant_id, dates.day)
      not in (select merchant_id, day from temp.run_days)
  -- With card transactions it may belong to a group of several dates.
  and (
      not dates.has_cards
      or (dates.merchant_id, dates.day)
          in (select merchant_id, batch_date from temp.group_days)
  )
on conflict (merchant_id, batch_date) do update set is_asked_again = 1;
