-- purpose: the dates that do not tie out by themselves.
-- grain: one merchant and date.
create temp view untied_dates as
select days.merchant_id, days.batch_date
from temp.group_days as days
cross join temp.asof as asof
where days.batch_date = days.group_date
  and days.batch_date = days.last_date
  -- Where links are known, they are exact: see below.
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
      -- Without a deposit and a batch there is nothing to place.
      iif(
          exists (
              select 1 from batch
              where batch.merchant_id = days.merchant_id
                and batch.day = days.batch_date
                and batch.gone_in is null
          ),
          '', '0/0/0/0'
      )
  );

-- purpose: dates whose card transactions are linked: the headers less these
-- card transactions are compared with the deposits less the card transactions
-- that they hold.
-- grain: one merchant and date.
create temp table linked_dates as
select days.merchant_id, days.batch_date
from temp.group_days as days
cross join temp.asof as asof
where asof.uses_links
  and exists (
      select 1 from transaction_total as total
      where total.day = days.batch_date
        and total.merchant_id = days.merchant_id
  );

-- purpose: the deposits of its association date, and those that hold its card
-- transactions.
-- grain: one merchant, date and deposit.
create temp view paying_deposits as
select days.merchant_id, days.batch_date, deposit.ach_deposit_id
from temp.linked_dates as days
cross join deposit
    on deposit.merchant_id = days.merchant_id
    and deposit.association_date = days.batch_date
union
select days.merchant_id, days.batch_date, total.ach_deposit_id
from temp.linked_dates as days
cross join transaction_total as total
    on total.day = days.batch_date
    and total.merchant_id = days.merchant_id
    and total.ach_deposit_id <> 0;

-- purpose: these deposits with their figures.
-- grain: one merchant, date and deposit.
create temp table linked_date_deposits as
select
    theirs.merchant_id,
    theirs.batch_date,
    deposit.ach_deposit_id,
    deposit.sales_minor,
    deposit.returns_minor,
    deposit.transactions
from temp.paying_deposits as theirs
cross join temp.asof as asof
cross join deposit on deposit.ach_deposit_id = theirs.ach_deposit_id
where deposit.gone_in is null
  and deposit.day <= asof.business_date
  and deposit.ach_deposit_id not in
      (select ach_deposit_id from temp.resent_deposits);

-- purpose: a deposit paid on D may split a run found until now, when a later
-- date was paid before it.
-- grain: one merchant and date.
create temp view overtaken_dates as
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
  );

-- purpose: the merchants with a looked-at date that does not tie out by itself,
-- and the dates around it that are looked at with it. Where links are known,
-- linked amounts are left out on both sides.
-- grain: one merchant.
create temp table near_windows as
with
-- A date without a deposit still waits or is never paid: it places nothing.
linked_days as materialized (
    select distinct merchant_id, batch_date
    from temp.linked_date_deposits as linked_deposits
),
sides as (
    select days.merchant_id, days.batch_date, batch.sale_amount_minor as sales,
        batch.return_amount_minor as returns,
        batch.transaction_count as transactions
    from linked_days as days
    cross join batch
        on batch.merchant_id = days.merchant_id
        and batch.day = days.batch_date
    where batch.gone_in is null
    union all
    select days.merchant_id, days.batch_date, -total.sales_minor,
        -total.returns_minor, -total.transactions
    from linked_days as days
    cross join transaction_total as total
        on total.day = days.batch_date
        and total.merchant_id = days.merchant_id
    union all
    select merchant_id, batch_date, -sales_minor, -returns_minor, -transactions
    from temp.linked_date_deposits as linked_deposits
    union all
    select paid.merchant_id, paid.batch_date, total.sales_minor,
        total.returns_minor, total.transactions
    from temp.linked_date_deposits as paid
    cross join temp.asof as asof
    cross join transaction_total as total
        on total.ach_deposit_id = paid.ach_deposit_id
        and total.ach_deposit_id <> 0
        and total.merchant_id = paid.merchant_id
        and total.day <= asof.business_date
),
untied_by_links as (
    select merchant_id, batch_date
    from sides
    group by merchant_id, batch_date
    having sum(sales) <> 0 or sum(returns) <> 0 or sum(transactions) <> 0
)
-- A run spans up to ten days, and another run that overlaps it reaches as far
-- from its other end.
select
    merchant_id,
    date(min(batch_date), '-20 days') as first_day,
    date(max(batch_date), '+20 days') as last_day
from (
    select * from temp.untied_dates as untied
    union all select * from untied_by_links
    union all select * from temp.overtaken_dates as overtaken
)
group by merchant_id;

-- purpose: the deposits around such a date.
-- grain: one deposit.
create temp table near_members as
select
    deposit.merchant_id,
    deposit.ach_deposit_id,
    deposit.association_date as day,
    deposit.ach_date,
    deposit.sales_minor,
    deposit.returns_minor,
    deposit.transactions
from temp.near_windows as windows
cross join temp.asof as asof
cross join deposit
    on deposit.merchant_id = windows.merchant_id
    and deposit.association_date
        between windows.first_day and windows.last_day
where deposit.gone_in is null
  and deposit.day <= asof.business_date
  and deposit.ach_deposit_id not in
      (select ach_deposit_id from temp.resent_deposits);

-- purpose: the deposits around such a date, with the amounts that they pay
-- beside the card transactions that they hold. A deposit that pays exactly
-- these is left out. For one that pays less, the rest is unknown: a shortfall
-- is not a sale.
-- grain: one deposit.
create temp table near_deposits as
with
linked as (
    select
        members.ach_deposit_id,
        sum(total.sales_minor) as sales_minor,
        sum(total.returns_minor) as returns_minor,
        sum(total.transactions) as transactions,
        sum(total.unclear) as unclear,
        max(total.day = members.day) as is_of_its_date
    from temp.near_members as members
    cross join temp.asof as asof
    cross join transaction_total as total
        on total.ach_deposit_id = members.ach_deposit_id
        and total.ach_deposit_id <> 0
        and total.merchant_id = members.merchant_id
    where asof.uses_links
      and total.day <= asof.business_date
    group by members.ach_deposit_id
),
rests as (
    select
        members.merchant_id,
        members.ach_deposit_id,
        members.day,
        members.ach_date,
        linked.ach_deposit_id is not null as is_linked,
        members.sales_minor - coalesce(linked.sales_minor, 0) as sales_minor,
        members.returns_minor - coalesce(linked.returns_minor, 0)
            as returns_minor,
        members.transactions - coalesce(linked.transactions, 0)
            as transactions,
        coalesce(linked.unclear, 0) as unclear,
        coalesce(not linked.is_of_its_date, 0) as is_of_other_dates
    from temp.near_members as members
    left join linked on linked.ach_deposit_id = members.ach_deposit_id
)
select
    merchant_id,
    ach_deposit_id,
    day,
    ach_date,
    is_linked,
    -- All its card transactions are of other dates.
    is_of_other_dates,
    case when is_certain then sales_minor end as sales_minor,
    case when is_certain then returns_minor end as returns_minor,
    case when is_certain then transactions end as transactions
from (
    select
        rests.*,
        not is_linked or (
            unclear = 0 and sales_minor >= 0 and returns_minor >= 0
            and transactions >= 0
        ) as is_certain
    from rests
)
where not (
    is_linked and sales_minor is 0 and returns_minor is 0
    and transactions is 0
);
create index temp.near_deposits_key on near_deposits (merchant_id, day);

-- purpose: the sums of the batches of these dates.
-- grain: one merchant and date.
create temp table near_batch_days as
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
from temp.near_windows as windows
cross join temp.asof as asof
cross join batch
    on batch.merchant_id = windows.merchant_id
    and batch.day between windows.first_day and windows.last_day
where batch.gone_in is null
  and batch.day <= asof.business_date
group by windows.merchant_id, batch.day;

-- purpose: the sums of the deposits of these dates.
-- grain: one merchant and date.
create temp table near_deposit_days as
select
    merchant_id,
    day,
    count(*) as deposits,
    case when count(*) = count(sales_minor) then sum(sales_minor) end
        as sales_minor,
    case when count(*) = count(returns_minor) then sum(returns_minor) end
        as returns_minor,
    case when count(*) = count(transactions) then sum(transactions) end
        as transactions,
    min(coalesce(ach_date, '')) as first_ach_date,
    max(is_of_other_dates) as are_of_other_dates
from temp.near_deposits
group by merchant_id, day;

-- purpose: the dates with batches or deposits.
-- grain: one merchant and date.
create temp table near_known_dates as
select merchant_id, day from temp.near_batch_days as batch_days
union
select merchant_id, day from temp.near_deposit_days as deposit_days;

-- purpose: the sums of the card transactions of these dates.
-- grain: one merchant and date.
create temp view near_cards as
select
    dates.merchant_id,
    dates.day,
    sum(total.sales_minor) as sales_minor,
    sum(total.returns_minor) as returns_minor,
    sum(total.transactions) as transactions,
    sum(total.unclear) as unclear,
    sum(case when total.ach_deposit_id <> 0 then total.transactions else 0
        end) as linked_transactions,
    -- Card transactions that no deposit holds but that one is expected to
    -- pay.
    sum(case when total.ach_deposit_id = 0
        and total.standing in ('expected', 'released', 'partial')
        then total.sales_minor else 0 end) as awaited_sales_minor,
    sum(case when total.ach_deposit_id = 0
        and total.standing in ('expected', 'released', 'partial')
        then total.returns_minor else 0 end) as awaited_returns_minor,
    sum(case when total.ach_deposit_id = 0
        and total.standing in ('expected', 'released', 'partial')
        then total.transactions else 0 end) as awaited_transactions,
    max(total.ach_deposit_id in (
        select ach_deposit_id from temp.near_deposits
    )) as is_of_open_deposit
from temp.near_known_dates as dates
cross join temp.asof as asof
cross join transaction_total as total
    on total.day = dates.day and total.merchant_id = dates.merchant_id
where asof.uses_links
group by dates.merchant_id, dates.day;

-- purpose: the figures of both sides, without card transactions of known
-- deposits.
-- grain: one merchant and date.
create temp table near_sums as
select
    dates.merchant_id,
    dates.day,
    coalesce(batches.batches, 0) as batches,
    case when coalesce(cards.unclear, 0) = 0
        then coalesce(batches.sales_minor,
            iif(batches.day is null, 0, null))
            - coalesce(cards.sales_minor, 0) end as batch_sales_minor,
    case when coalesce(cards.unclear, 0) = 0
        then coalesce(batches.returns_minor,
            iif(batches.day is null, 0, null))
            - coalesce(cards.returns_minor, 0) end as batch_returns_minor,
    case when coalesce(cards.unclear, 0) = 0
        then coalesce(batches.transactions,
            iif(batches.day is null, 0, null))
            - coalesce(cards.transactions, 0) end as batch_transactions,
    coalesce(deposits.deposits, 0) as deposits,
    coalesce(deposits.sales_minor, iif(deposits.day is null, 0, null))
        as deposit_sales_minor,
    coalesce(deposits.returns_minor, iif(deposits.day is null, 0, null))
        as deposit_returns_minor,
    coalesce(deposits.transactions, iif(deposits.day is null, 0, null))
        as deposit_transactions,
    deposits.first_ach_date,
    coalesce(deposits.are_of_other_dates, 0) as are_of_other_dates,
    cards.day is not null as has_cards,
    coalesce(cards.awaited_sales_minor, 0) as awaited_sales_minor,
    coalesce(cards.awaited_returns_minor, 0) as awaited_returns_minor,
    coalesce(cards.awaited_transactions, 0) as awaited_transactions,
    cards.linked_transactions > 0 and not cards.is_of_open_deposit
        as is_all_linked,
    batches.currency,
    coalesce(batches.currencies, 0) as currencies
from temp.near_known_dates as dates
left join temp.near_batch_days as batches
    on batches.merchant_id = dates.merchant_id and batches.day = dates.day
left join temp.near_deposit_days as deposits
    on deposits.merchant_id = dates.merchant_id and deposits.day = dates.day
left join temp.near_cards as cards
    on cards.merchant_id = dates.merchant_id and cards.day = dates.day;

-- purpose: the currency in which a merchant's deposits are compared: the
-- configured one where its batches have several.
-- grain: one merchant.
create temp view near_currencies as
select
    sums.merchant_id,
    iif(count(distinct sums.currency) = 1, min(sums.currency),
        min(merchants.currency)) as currency
from temp.near_sums as sums
inner join temp.merchants as merchants
    on merchants.merchant_id = sums.merchant_id
group by sums.merchant_id;
