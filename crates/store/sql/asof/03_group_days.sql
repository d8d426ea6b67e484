-- purpose: the batch dates that can hold batches not yet due after a day.
-- grain: one span of days.
create temp view waiting_windows as
select window_start as first_day, business_date as last_day, due_after,
    0 as is_late from temp.asof
union all
select waiting_from, day, date(day, '-1 day'), 1 from temp.late_days;

-- purpose: the merchant-days with batches that are not due after such a day.
-- grain: one batch and span.
create temp view waiting_days as
select batch.merchant_id, batch.day as batch_date, windows.is_late
from temp.asof
cross join temp.waiting_windows as windows
cross join batch on batch.day between windows.first_day and windows.last_day
inner join temp.merchants as merchants
    on merchants.merchant_id = batch.merchant_id
where batch.gone_in is null
  and due(batch.day, merchants.payout_days, merchants.calendar)
      > windows.due_after;

-- purpose: the merchant-days of open findings about their group.
-- grain: one finding.
create temp view reopened_days as
select merchant_id, batch_date
from temp.carried
where batch_date is not null
  and code in (select code from temp.reopened_by where what = 'group');

-- purpose: returns may be deducted from a later deposit: that wait ends on D
-- (21_adjustments).
-- grain: one merchant and batch date.
create temp view returned_days as
select distinct batch.merchant_id, batch.day as batch_date
from temp.asof
cross join transfer_return as back
    on back.return_date between date(asof.due_after, '-20 days')
        and asof.business_date
cross join bank_transfer as payment
    on payment.kind = 'payment' and payment.transfer_id = back.payment_id
inner join temp.configured_terminal as terminal
    on terminal.terminal_id = payment.terminal_id
inner join temp.merchants as merchants
    on merchants.merchant_id = terminal.merchant_id
cross join batch
    on batch.merchant_id = terminal.merchant_id
    and batch.day between back.return_date
        and date(back.return_date, '+6 days')
where batch.gone_in is null
  and max(
      due(back.return_date, 5, merchants.calendar),
      due(batch.day, merchants.payout_days + 2, merchants.calendar)
  ) between date(asof.due_after, '+1 day') and asof.business_date
  -- Of the days before the start, only those that are judged.
  and (
      batch.day >= asof.start_date
      or exists (
          select 1 from deposit
          where deposit.merchant_id = batch.merchant_id
            and deposit.association_date = batch.day
            and deposit.day between asof.start_date and asof.business_date
            and deposit.gone_in is null
      )
  );

-- purpose: the merchant-days that were in transit on the latest earlier date.
-- grain: one batch in transit.
create temp view transit_days as
select transit.merchant_id, transit.date as batch_date
from temp.asof
inner join transit_result as transit
    on transit.business_date = asof.previous_date
where transit.kind = 'batch';

-- purpose: the merchant-days that this date looks at on their own account, and
-- why.
-- grain: one merchant and batch date. A merchant-day is looked at when it is
-- dated D, when a deposit for it is paid on D, while its batches wait for their
-- deposit, when they fall due, and while a finding about it is open. A
-- merchant-day that was in transit on the latest earlier date is looked at even
-- where a changed configuration has since moved its due date before D: money
-- never goes unreported between waiting and overdue. A merchant-day that was
-- dated, paid or due on a day with a late reading is re-evaluated.
create temp table seed_days as
with
asof as (select * from temp.asof),
dated as (
    select batch.merchant_id, batch.day as batch_date
    from asof
    inner join batch on batch.day = asof.business_date
    where batch.gone_in is null
),
-- The payment dates that are evaluated: D, and again the days that were read
-- late.
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
    select merchant_id, batch_date, 0, is_late, 0
    from temp.waiting_days as waiting
    union all
    select merchant_id, batch_date, 0, 1, 0
    from temp.reopened_days as still_open
    union all
    select merchant_id, batch_date, 0, 1, 0 from temp.returned_days as returned
    union all
    select merchant_id, batch_date, 0, 0, 1 from temp.transit_days as in_transit
) as all_days
inner join temp.merchants as merchants
    on merchants.merchant_id = all_days.merchant_id
group by all_days.merchant_id, all_days.batch_date;
create unique index temp.seed_days_key on seed_days (merchant_id, batch_date);

-- purpose: the deposits below zero.
-- grain: one deposit.
create temp view below_deposits as
select deposit.merchant_id, deposit.day,
    deposit.association_date as batch_date
from temp.merchants as merchants
cross join temp.asof
cross join deposit
    on deposit.merchant_id = merchants.merchant_id
    and deposit.net_amount_minor < 0
    and deposit.day between asof.start_date and asof.business_date
where deposit.gone_in is null
  and deposit.association_date is not null
  and (
      merchants.names_bank
      or deposit.day >= date(asof.business_date, '-40 days')
  );

-- purpose: the merchant-days whose deposits may have taken a balance below
-- zero, or paid again a deposit that did not arrive. They are asked again on
-- every date: the balance may be paid at last, and a statement may show either
-- long after its day.
-- grain: one merchant and batch date.
create temp table taking_days as
select distinct deposit.merchant_id, deposit.association_date as batch_date
from (
    select merchant_id, day from temp.below_deposits
    union
    select batch.merchant_id, batch.day
    from temp.seed_days as seeds
    cross join batch
        on batch.merchant_id = seeds.merchant_id
        and batch.day = seeds.batch_date
    where batch.gone_in is null
    group by batch.merchant_id, batch.day
    having sum(batch.sale_amount_minor) < sum(batch.return_amount_minor)
) as below
cross join temp.asof
cross join deposit
    on deposit.merchant_id = below.merchant_id
    and deposit.association_date between date(below.day, '-25 days')
        and date(below.day, '+25 days')
where deposit.gone_in is null
  and deposit.day > below.day
  and deposit.day <= asof.business_date
  and deposit.ach_adjustment_minor > 0
union
select deposit.merchant_id, deposit.association_date
from temp.merchants as merchants
cross join temp.asof
cross join deposit on deposit.merchant_id = merchants.merchant_id
where merchants.names_bank
  and deposit.gone_in is null
  and deposit.association_date is not null
  and deposit.day between asof.start_date and asof.business_date
  and deposit.ach_adjustment_minor < 0;

-- purpose: the merchant-days whose deposits adjust.
-- grain: one merchant and batch date.
create temp table adjusting_days as
select
    seeds.merchant_id,
    seeds.batch_date,
    sum(deposit.ach_adjustment_minor) as adjusted_minor
from (
    select merchant_id, batch_date from temp.seed_days
    union
    select merchant_id, batch_date from temp.taking_days
) as seeds
cross join temp.asof
cross join deposit
    on deposit.merchant_id = seeds.merchant_id
    and deposit.association_date = seeds.batch_date
where deposit.gone_in is null
  and deposit.day <= asof.business_date
  and deposit.ach_adjustment_minor <> 0
group by seeds.merchant_id, seeds.batch_date;

-- purpose: the bank transfers that came back on such a day.
-- grain: one merchant and day.
create temp table came_back_days as
select
    terminal.merchant_id,
    dates.batch_date,
    sum(payment.amount_minor * returned.effect) as returned_minor
from (select distinct batch_date from temp.adjusting_days as adjusting) as dates
cross join transfer_return as returned
    on returned.return_date = dates.batch_date
cross join bank_transfer as payment
    on payment.kind = 'payment'
    and payment.transfer_id = returned.payment_id
inner join temp.configured_terminal as terminal
    on terminal.terminal_id = payment.terminal_id
group by terminal.merchant_id, dates.batch_date;

-- purpose: returns of the day itself explain most adjustments.
-- grain: one merchant and batch date.
create temp table unexplained_days as
select adjusting.merchant_id, adjusting.batch_date
from temp.adjusting_days as adjusting
left join temp.came_back_days as came_back
    on came_back.merchant_id = adjusting.merchant_id
    and came_back.batch_date = adjusting.batch_date
where adjusting.adjusted_minor is not coalesce(came_back.returned_minor, 0);

-- purpose: the days with batches near an unexplained one, and those that are
-- looked at anyhow.
-- grain: one merchant and day.
create temp view near_unexplained as
select distinct batch.merchant_id, batch.day
from temp.unexplained_days as unexplained
cross join temp.asof
cross join batch
    on batch.merchant_id = unexplained.merchant_id
    and batch.day between date(unexplained.batch_date, '-25 days')
        and asof.business_date
    and batch.day <= date(unexplained.batch_date, '+25 days')
where batch.gone_in is null
union
select merchant_id, batch_date from temp.seed_days;

-- purpose: the days of these with more returns than sales.
-- grain: one merchant and day.
create temp view below_days as
select near.merchant_id, near.day, near.day as batch_date
from temp.near_unexplained as near
cross join batch
    on batch.merchant_id = near.merchant_id and batch.day = near.day
where batch.gone_in is null
group by near.merchant_id, near.day
having sum(batch.sale_amount_minor) < sum(batch.return_amount_minor);

-- purpose: both kinds of negative balances.
-- grain: one merchant, day and batch date.
create temp table negative_days as
select * from temp.below_days
union
select * from temp.below_deposits;

-- purpose: returns are deducted on their own date or from a deposit of the five
-- banking days after it: take the days on both sides of an unexplained one.
-- grain: one merchant and day.
create temp table back_days as
select distinct terminal.merchant_id, returned.return_date
from temp.asof
cross join (
    select date(min(batch_date), '-30 days') as first, max(batch_date) as last
    from temp.seed_days
    union all
    select date(batch_date, '-18 days'), batch_date from temp.taking_days
) as seeds
cross join transfer_return as returned
    on returned.return_date between seeds.first and seeds.last
cross join bank_transfer as payment
    on payment.kind = 'payment'
    and payment.transfer_id = returned.payment_id
inner join temp.configured_terminal as terminal
    on terminal.terminal_id = payment.terminal_id;

-- purpose: the days of disputes that can explain an unexplained adjustment.
create temp table disputing_days as
select
    merchants.merchant_id,
    date(min(
        coalesce(disputes.first_date, '9'),
        coalesce(unexplained.batch_date, '9')
    ), '-60 days') as first_day
from (
    select merchant_id, min(first_date) as first_date
    from temp.disputes
    group by merchant_id
) as merchants
left join (
    select disputes.merchant_id, min(disputes.first_date) as first_date
    from temp.disputes as disputes
    cross join temp.asof
    where disputes.verdict in ('waits', 'undecided')
       or disputes.status_date = asof.business_date
       or disputes.day = asof.business_date
    group by disputes.merchant_id
) as disputes on disputes.merchant_id = merchants.merchant_id
left join (
    select merchant_id, min(batch_date) as batch_date
    from temp.unexplained_days as unexplained
    group by merchant_id
) as unexplained on unexplained.merchant_id = merchants.merchant_id
where coalesce(disputes.first_date, unexplained.batch_date) is not null;

-- purpose: the merchant-days that can explain an adjustment, or that use up
-- such an explanation: days with more returns than sales, deposits below zero,
-- and other deposits that adjust; one of an earlier date may be sent on the day
-- of a return, or later. They are looked at but not tested.
-- grain: one merchant and batch date that is looked at for no other reason.
create temp table explaining_days as
with
asof as (select * from temp.asof),
deducting as materialized (
    select unexplained.merchant_id, unexplained.batch_date
    from temp.unexplained_days as unexplained
    union
    select seeds.merchant_id, deposit.association_date
    from temp.seed_days as seeds
    cross join asof
    cross join deposit
        on deposit.merchant_id = seeds.merchant_id
        and deposit.association_date between date(seeds.batch_date, '-12 days')
            and date(seeds.batch_date, '+12 days')
    where deposit.gone_in is null
      and deposit.day <= asof.business_date
      and deposit.ach_adjustment_minor <> 0
      and exists (
          select 1 from temp.back_days as back
          where back.merchant_id = seeds.merchant_id
            and back.return_date between date(seeds.batch_date, '-6 days')
                and seeds.batch_date
      )
),
deducted as (
    select deducting.merchant_id, batch.day as batch_date
    from deducting
    cross join batch
        on batch.merchant_id = deducting.merchant_id
        and batch.day between date(deducting.batch_date, '-12 days')
            and deducting.batch_date
    where batch.gone_in is null
      and exists (
          select 1 from temp.back_days as back
          where back.merchant_id = deducting.merchant_id
            and back.return_date between date(batch.day, '-6 days')
                and batch.day
      )
    union
    select merchant_id, batch_date from deducting
)
select merchant_id, batch_date from (
    select below.merchant_id, below.batch_date from temp.negative_days as below
    union
    select merchant_id, batch_date from deducted
    union
    select deposit.merchant_id, deposit.association_date
    from temp.negative_days as below
    cross join asof
    cross join deposit
        on deposit.merchant_id = below.merchant_id
        and deposit.association_date between date(below.day, '-25 days')
            and date(below.day, '+25 days')
    where deposit.gone_in is null
      and deposit.day <= asof.business_date
      and deposit.ach_adjustment_minor <> 0
    union
    select deposit.merchant_id, deposit.association_date
    from temp.disputing_days as disputing
    cross join asof
    cross join deposit
        on deposit.merchant_id = disputing.merchant_id
        and deposit.association_date
            between disputing.first_day and asof.business_date
    where deposit.gone_in is null
      and deposit.day between asof.start_date and asof.business_date
      and deposit.ach_adjustment_minor <> 0
)
except
select merchant_id, batch_date from temp.seed_days;
insert into temp.seed_days (
    merchant_id, batch_date, is_paid_today, is_asked_again, was_in_transit
)
select merchant_id, batch_date, 0, 0, 0
from temp.explaining_days;

-- purpose: the merchant-days that this date looks at, and their groups. Without
-- links a merchant-day is a group; a deposit connects the days of the
-- transactions that it holds, also before it is paid.
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

-- purpose: the dates whose records D looks at. A group is looked at whole. It
-- is left out when each of its dates is only there to explain an adjustment and
-- is not re-evaluated.
-- grain: one batch date.
create temp view looked_dates as
select distinct days.batch_date
from temp.group_days as days
where exists (
    select 1
    from temp.group_days as member
    left join temp.explaining_days as explaining
        on explaining.merchant_id = member.merchant_id
        and explaining.batch_date = member.batch_date
    where member.merchant_id = days.merchant_id
      and member.group_date = days.group_date
      and (explaining.batch_date is null or member.is_asked_again)
);
