-- purpose: the merchant-days that this date looks at on their own account, and
-- why.
-- grain: one merchant and batch date. A merchant-day is looked at when it is
-- dated D, when a deposit for it is paid on D, while its batches wait for their
-- deposit, when they fall due, and while something of it is open. What was in
-- transit on the latest earlier date is looked at even where, by a
-- configuration that was changed since, it had fallen due before: nothing goes
-- from waiting to nowhere. What was dated, paid or due on a day of which
-- something was read too late is asked about again.
create temp table seed_days as
with
asof as (select * from temp.asof),
dated as (
    select batch.merchant_id, batch.day as batch_date
    from asof
    inner join batch on batch.day = asof.business_date
    where batch.gone_in is null
),
-- The days whose deposits are asked about: D's own, and again those that were
-- read late.
paying as (
    select business_date as day, 1 as is_today, 0 as is_late from asof
    union all
    select day, 0, 1 from temp.late_days
),
paid as (
    select
        deposit.merchant_id,
        deposit.association_date as batch_date,
        paying.is_today,
        paying.is_late
    from paying
    cross join deposit on deposit.day = paying.day
    where deposit.gone_in is null
      and deposit.association_date is not null
),
-- Where links are known, a deposit pays for the days of its transactions.
linked as (
    select deposit.merchant_id, total.day as batch_date, paying.is_today,
        paying.is_late
    from asof
    cross join paying
    cross join deposit on deposit.day = paying.day
    cross join transaction_total as total
        on total.ach_deposit_id = deposit.ach_deposit_id
        and total.merchant_id = deposit.merchant_id
    where asof.uses_links
      and total.ach_deposit_id <> 0
      and total.day <= asof.business_date
      and deposit.gone_in is null
),
-- What was not due yet after a day, from the first batch date of which that can
-- be to the last.
windows as (
    select window_start as first_day, business_date as last_day, due_after,
        0 as is_late from asof
    union all
    select waiting_from, day, date(day, '-1 day'), 1 from temp.late_days
),
waiting as (
    select batch.merchant_id, batch.day as batch_date, windows.is_late
    from asof
    cross join windows
    cross join batch on batch.day between windows.first_day and windows.last_day
    inner join temp.merchants as merchants
        on merchants.merchant_id = batch.merchant_id
    where batch.gone_in is null
      and due(batch.day, merchants.payout_days, merchants.calendar)
          > windows.due_after
),
still_open as (
    select merchant_id, batch_date
    from temp.carried
    where batch_date is not null
      and code in (select code from temp.reopened_by where what = 'group')
),
in_transit as (
    select transit.merchant_id, transit.date as batch_date
    from asof
    inner join transit_result as transit
        on transit.business_date = asof.previous_date
    where transit.kind = 'batch'
)
select
    all_days.merchant_id,
    all_days.batch_date,
    max(all_days.is_paid) as is_paid_today,
    max(all_days.is_asked_again) as is_asked_again,
    max(all_days.was_in_transit) as was_in_transit
from (
    select merchant_id, batch_date, 0 as is_paid, 0 as is_asked_again,
        0 as was_in_transit from dated
    union all
    select merchant_id, batch_date, is_today, is_late, 0 from paid
    union all
    select merchant_id, batch_date, is_today, is_late, 0 from linked
    union all
    select merchant_id, batch_date, 0, is_late, 0 from waiting
    union all
    select merchant_id, batch_date, 0, 1, 0 from still_open
    union all
    select merchant_id, batch_date, 0, 0, 1 from in_transit
) as all_days
inner join temp.merchants as merchants
    on merchants.merchant_id = all_days.merchant_id
group by all_days.merchant_id, all_days.batch_date;
create unique index temp.seed_days_key on seed_days (merchant_id, batch_date);

-- purpose: the merchant-days that this date looks at, and the groups that they
-- belong to. Without links a merchant-day is a group; a deposit connects the
-- days of the transactions that it holds, also before it is paid.
-- grain: one merchant and batch date; a group is named after its earliest and
-- due by its latest.
create temp table group_days as
with recursive
walk (merchant_id, start, day) as (
    select merchant_id, batch_date, batch_date from temp.seed_days
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
      and one.day <= asof.business_date
      and other.day <= asof.business_date
),
reach as (
    select merchant_id, start, min(day) as group_date, max(day) as last_date
    from walk
    group by merchant_id, start
),
members as (
    select
        walk.merchant_id,
        walk.day,
        min(reach.group_date) as group_date,
        max(reach.last_date) as last_date
    from walk
    inner join reach
        on reach.merchant_id = walk.merchant_id and reach.start = walk.start
    group by walk.merchant_id, walk.day
),
reasons as (
    select
        members.merchant_id,
        members.group_date,
        max(seeds.is_paid_today) as is_paid_today,
        max(seeds.is_asked_again) as is_asked_again,
        max(seeds.was_in_transit) as was_in_transit
    from members
    inner join temp.seed_days as seeds
        on seeds.merchant_id = members.merchant_id
            and seeds.batch_date = members.day
    group by members.merchant_id, members.group_date
)
select
    members.merchant_id,
    members.day as batch_date,
    members.group_date,
    members.last_date,
    reasons.is_paid_today,
    reasons.is_asked_again,
    reasons.was_in_transit
from members
inner join reasons
    on reasons.merchant_id = members.merchant_id
        and reasons.group_date = members.group_date;
create unique index temp.group_days_key on group_days (merchant_id, batch_date);
