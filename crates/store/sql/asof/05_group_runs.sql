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

-- purpose: the sums of the batches of consecutive batch dates.
-- grain: one merchant, first and last batch date.
create temp table batch_spans as
select
    spans.merchant_id, spans.stretch, spans.first_day, spans.last_day,
    sum(inner_day.batch_sales_minor) as sales_minor,
    sum(inner_day.batch_returns_minor) as returns_minor,
    sum(inner_day.batch_transactions) as transactions
from temp.open_spans as spans
inner join temp.open_dates as inner_day
    on inner_day.merchant_id = spans.merchant_id
    and inner_day.day between spans.first_day and spans.last_day
where spans.is_of_batches
group by spans.merchant_id, spans.stretch, spans.first_day, spans.last_day
having count(*) = count(inner_day.batch_sales_minor)
   and count(*) = count(inner_day.batch_returns_minor)
   and count(*) = count(inner_day.batch_transactions);

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
select
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
