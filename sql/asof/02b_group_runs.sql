-- purpose: the dates around a deposit that does not agree with the batches of
-- its own association date: what each date's batches and deposits add up to.
-- grain: one merchant and date, but for the dates of another currency.
create temp table near_dates as
with
-- What a deposit of D, or of a day that is looked at, states beside its
-- batches.
untied as (
    select days.merchant_id, days.batch_date
    from temp.group_days as days
    cross join temp.asof as asof
    where days.batch_date = days.group_date
      and days.batch_date = days.last_date
      -- Where links are known, they are exact.
      and not (
          asof.uses_links
          and exists (
              select 1 from transaction_total as total
              where total.day = days.batch_date
                  and total.merchant_id = days.merchant_id
          )
      )
      and (
          select coalesce(sum(deposit.sales_minor), 0) || '/'
              || coalesce(sum(deposit.returns_minor), 0) || '/'
              || coalesce(sum(deposit.transactions), 0) || '/' || (count(*) > 0)
          from deposit
          where deposit.merchant_id = days.merchant_id
            and deposit.association_date = days.batch_date
            and deposit.gone_in is null
            and deposit.day <= asof.business_date
            and deposit.ach_deposit_id not in
                (select ach_deposit_id from temp.resent_deposits)
      ) not in (
          (
              select coalesce(sum(batch.sale_amount_minor), 0) || '/'
                  || coalesce(sum(batch.return_amount_minor), 0) || '/'
                  || coalesce(sum(batch.transaction_count), 0) || '/1'
              from batch
              where batch.merchant_id = days.merchant_id
                and batch.day = days.batch_date
                and batch.gone_in is null
          ),
          -- With neither a deposit nor a batch there is nothing to place.
          iif(
              exists (
                  select 1 from batch
                  where batch.merchant_id = days.merchant_id
                    and batch.day = days.batch_date
                    and batch.gone_in is null
              ),
              '', '0/0/0/0'
          )
      )
),
-- What is paid on D may part what was a run until now: a later date was paid
-- before it.
overtaken as (
    select days.merchant_id, days.batch_date
    from temp.group_days as days
    cross join temp.asof as asof
    where days.is_paid_today
      and exists (
          select 1 from deposit
          where deposit.merchant_id = days.merchant_id
            and deposit.association_date > days.batch_date
            and deposit.association_date <= date(days.batch_date, '+10 days')
            and deposit.day < asof.business_date
            and deposit.gone_in is null
      )
),
-- A run spans up to ten days, and another that shares something with it lies
-- as far from its other end.
windows as (
    select
        merchant_id,
        date(min(batch_date), '-20 days') as first_day,
        date(max(batch_date), '+20 days') as last_day
    from (select * from untied union all select * from overtaken)
    group by merchant_id
),
batch_days as (
    select
        windows.merchant_id,
        batch.day,
        count(*) as batches,
        case when count(*) = count(batch.sale_amount_minor)
            then sum(batch.sale_amount_minor) end as sales_minor,
        case when count(*) = count(batch.return_amount_minor)
            then sum(batch.return_amount_minor) end as returns_minor,
        case when count(*) = count(batch.transaction_count)
            then sum(batch.transaction_count) end as transactions,
        min(batch.currency) as currency,
        count(distinct coalesce(batch.currency, '')) as currencies
    from windows
    cross join temp.asof as asof
    cross join batch
        on batch.merchant_id = windows.merchant_id
        and batch.day between windows.first_day and windows.last_day
    where batch.gone_in is null
      and batch.day <= asof.business_date
    group by windows.merchant_id, batch.day
),
deposit_days as (
    select
        windows.merchant_id,
        deposit.association_date as day,
        count(*) as deposits,
        case when count(*) = count(deposit.sales_minor)
            then sum(deposit.sales_minor) end as sales_minor,
        case when count(*) = count(deposit.returns_minor)
            then sum(deposit.returns_minor) end as returns_minor,
        case when count(*) = count(deposit.transactions)
            then sum(deposit.transactions) end as transactions,
        min(coalesce(deposit.ach_date, '')) as first_ach_date
    from windows
    cross join temp.asof as asof
    cross join deposit
        on deposit.merchant_id = windows.merchant_id
        and deposit.association_date
            between windows.first_day and windows.last_day
    where deposit.gone_in is null
      and deposit.day <= asof.business_date
      and deposit.ach_deposit_id not in
          (select ach_deposit_id from temp.resent_deposits)
      and not (
          asof.uses_links
          and exists (
              select 1 from transaction_total as total
              where total.ach_deposit_id = deposit.ach_deposit_id
                and total.ach_deposit_id <> 0
          )
      )
    group by windows.merchant_id, deposit.association_date
),
dates as (
    select merchant_id, day from batch_days
    union
    select merchant_id, day from deposit_days
),
sums as (
    select
        dates.merchant_id,
        dates.day,
        coalesce(batches.batches, 0) as batches,
        coalesce(batches.sales_minor, iif(batches.day is null, 0, null))
            as batch_sales_minor,
        coalesce(batches.returns_minor, iif(batches.day is null, 0, null))
            as batch_returns_minor,
        coalesce(batches.transactions, iif(batches.day is null, 0, null))
            as batch_transactions,
        coalesce(deposits.deposits, 0) as deposits,
        coalesce(deposits.sales_minor, iif(deposits.day is null, 0, null))
            as deposit_sales_minor,
        coalesce(deposits.returns_minor, iif(deposits.day is null, 0, null))
            as deposit_returns_minor,
        coalesce(deposits.transactions, iif(deposits.day is null, 0, null))
            as deposit_transactions,
        deposits.first_ach_date,
        batches.currency,
        coalesce(batches.currencies, 0) as currencies
    from dates
    left join batch_days as batches
        on batches.merchant_id = dates.merchant_id and batches.day = dates.day
    left join deposit_days as deposits
        on deposits.merchant_id = dates.merchant_id and deposits.day = dates.day
),
-- The one in which a merchant's deposits are looked at: where it has several,
-- the configured one.
main_currencies as (
    select
        sums.merchant_id,
        iif(count(distinct sums.currency) = 1, min(sums.currency),
            min(merchants.currency)) as currency
    from sums
    inner join temp.merchants as merchants
        on merchants.merchant_id = sums.merchant_id
    group by sums.merchant_id
),
marked as (
    select
        sums.*,
        batch_sales_minor = deposit_sales_minor
            and batch_returns_minor = deposit_returns_minor
            and batch_transactions = deposit_transactions as is_tied,
        -- Its transactions say which deposit pays for them, or its batches have
        -- several currencies.
        sums.currencies > 1
            or (sums.batches > 0 and sums.currency is null)
            or exists (
                select 1 from temp.asof as asof
                cross join transaction_total as total
                    on total.day = sums.day
                    and total.merchant_id = sums.merchant_id
                where asof.uses_links
            ) as is_apart,
        -- All its batches are empty and no deposit names it: it is passed over.
        deposits = 0
            and batch_sales_minor = 0
            and batch_returns_minor = 0
            and batch_transactions = 0 as is_empty
    from sums
    inner join main_currencies as main
        on main.merchant_id = sums.merchant_id
    -- A date of another currency is of another row of dates.
    where sums.currencies <> 1
       or sums.currency is null
       or sums.currency is main.currency
)
select
    marked.*,
    -- Between two tied dates lies one stretch.
    sum(is_apart or (coalesce(is_tied, 0) and not coalesce(is_empty, 0)))
        over (partition by merchant_id order by day) as stretch
from marked;
create unique index temp.near_dates_key on near_dates (merchant_id, day);

-- purpose: the dates around a deposit that do not tie out by themselves.
-- grain: one merchant and date.
create temp view open_dates as
select * from temp.near_dates
where is_tied is not 1 and is_empty is not 1 and not is_apart;

-- purpose: dates in a row that span at most five banking days, and what is on
-- both ends.
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

-- purpose: what consecutive batch dates add up to.
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

-- purpose: what the deposits of consecutive association dates add up to.
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

-- purpose: the runs: no smaller one inside, and nothing in common with another.
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

-- purpose: the association dates whose deposits pay for a run. The batches of
-- such a date may be of another group: where each deposit is dated a day late,
-- those of every date are.
-- grain: one merchant and association date.
create temp table run_associations as
select runs.merchant_id, near.day, runs.first_day
from temp.group_runs as runs
inner join temp.open_dates as near
    on near.merchant_id = runs.merchant_id
    and near.deposits > 0
    and near.day between runs.first_association and runs.last_association;
create unique index temp.run_associations_key
    on run_associations (merchant_id, day);

-- purpose: let the days of a run be days of its group, which is named after its
-- earliest batch date and due by its latest; one that D did not look at comes
-- along.
-- grain: one merchant and batch date.
insert into temp.group_days (
    merchant_id, batch_date, group_date, last_date, is_paid_today,
        is_asked_again, was_in_transit
)
select merchant_id, day, first_day, last_day, 0, 0, 0
from temp.run_days
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
      and group_days.group_date in (other.group_date, paid.first_day)
)
where (merchant_id, batch_date) in (select merchant_id, day from temp.run_days);

-- purpose: a date that neither ties nor is of a run is asked about as long as
-- what lies near it is looked at: it may have been of a run on an earlier date.
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
on conflict (merchant_id, batch_date) do update set is_asked_again = 1;
