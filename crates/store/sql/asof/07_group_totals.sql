-- purpose: the deposits of each group, paid on or before D: those that its
-- transactions name, and those for one of its days that no transaction names.
-- grain: one deposit.
create temp table group_deposits as
with
-- Without links: the association dates that a group's deposits name. Those of a
-- run may differ from its batch dates.
named as (
    select merchant_id, group_date, batch_date as association_date
    from temp.group_days
    where (merchant_id, batch_date)
        not in (select merchant_id, day from temp.run_associations)
    union all
    select merchant_id, group_date, day from temp.run_associations
),
linked as (
    select distinct days.merchant_id, days.group_date, deposit.ach_deposit_id
    from temp.group_days as days
    cross join temp.asof as asof
    cross join transaction_total as total
        on total.day = days.batch_date and total.merchant_id = days.merchant_id
    cross join deposit on deposit.ach_deposit_id = total.ach_deposit_id
    where asof.uses_links
      and total.ach_deposit_id <> 0
      and deposit.merchant_id = days.merchant_id
      and deposit.gone_in is null
      and deposit.day <= asof.business_date
      and deposit.ach_deposit_id not in
          (select ach_deposit_id from temp.resent_deposits)
)
select merchant_id, group_date, ach_deposit_id from linked
union all
select named.merchant_id, named.group_date, deposit.ach_deposit_id
from named
cross join temp.asof as asof
cross join deposit
    on deposit.merchant_id = named.merchant_id
    and deposit.association_date = named.association_date
where deposit.gone_in is null
  and deposit.day <= asof.business_date
  -- A deposit that came back and was sent again counts once.
  and deposit.ach_deposit_id not in
      (select ach_deposit_id from temp.resent_deposits)
  and not (
      asof.uses_links
      and exists (
          select 1 from transaction_total as total
          where total.ach_deposit_id = deposit.ach_deposit_id
            and total.ach_deposit_id <> 0
            and total.merchant_id = deposit.merchant_id
            and total.day <= asof.business_date
      )
  );
create unique index temp.group_deposits_key on group_deposits (ach_deposit_id);
create index temp.group_deposits_by_group
    on group_deposits (merchant_id, group_date);

-- purpose: whether the listings that a batch date depends on are complete.
-- grain: one batch date.
create temp table days_read as
with recursive
days as (select distinct batch_date from temp.group_days),
-- From D back to the first day whose deposits were not read, or to the earliest
-- of these days. An open day may be years old: each day is looked up once.
read_back (day, is_read) as (
    select asof.business_date, exists (
        select 1 from temp.complete_listing as listing
        where listing.resource = 'ach-deposits'
          and listing.selector = 'date'
          and listing.business_date = asof.business_date
    )
    from temp.asof as asof
    union all
    select date(read_back.day, '-1 day'), exists (
        select 1 from temp.complete_listing as listing
        where listing.resource = 'ach-deposits'
          and listing.selector = 'date'
          and listing.business_date = date(read_back.day, '-1 day')
    )
    from read_back
    where read_back.is_read
      and read_back.day > (select min(batch_date) from days)
),
unread as (select max(day) as last_day from read_back where not is_read)
select
    days.batch_date,
    exists (
        select 1 from temp.complete_listing as listing
        where listing.resource = 'batches'
          and listing.selector = 'date'
          and listing.business_date = days.batch_date
    ) and days.batch_date <= asof.business_date as are_batches_read,
    exists (
        select 1 from temp.complete_listing as listing
        where listing.resource = 'authorizations'
          and listing.selector = 'date'
          and listing.business_date = days.batch_date
    ) and days.batch_date <= asof.business_date as are_authorizations_read,
    days.batch_date <= asof.business_date
        and (unread.last_day is null or unread.last_day < days.batch_date)
            as are_deposits_read
from days
cross join temp.asof as asof
cross join unread;

-- purpose: the sums of the headers of a group's batches.
-- grain: one merchant, group and currency (null when a header names none).
create temp table batch_totals as
select
    batch.merchant_id,
    days.group_date,
    batch.currency,
    count(*) as batches,
    case when count(*) = count(batch.sale_amount_minor)
        then sum(batch.sale_amount_minor) end as sales_minor,
    case when count(*) = count(batch.return_amount_minor)
        then sum(batch.return_amount_minor) end as returns_minor,
    case when count(*) = count(batch.transaction_count)
        then sum(batch.transaction_count) end as transactions,
    min(batch.batch_id) as first_batch_id,
    group_concat(batch.batch_id, ';' order by batch.batch_id) as batch_ids
from temp.group_days as days
cross join batch
    on batch.merchant_id = days.merchant_id and batch.day = days.batch_date
where batch.gone_in is null
group by batch.merchant_id, days.group_date, batch.currency;

-- purpose: the currency of each deposit of a group: that of the transactions
-- linked to it; else that of the batches of its association date when they
-- agree; else the one whose batches alone agree with it; else, without batches,
-- the configured one.
-- grain: one deposit; the currency is null where it cannot be determined.
create temp table deposit_currencies as
with
linked as (
    select
        members.ach_deposit_id,
        min(nullif(total.currency, '')) as currency,
        count(distinct total.currency) as currencies
    from temp.group_deposits as members
    cross join temp.asof as asof
    cross join transaction_total as total
        on total.ach_deposit_id = members.ach_deposit_id
    where asof.uses_links
      and total.merchant_id = members.merchant_id
      and total.day <= asof.business_date
    group by members.ach_deposit_id
),
dated as (
    select
        members.ach_deposit_id,
        min(batch.currency) as currency,
        count(distinct coalesce(batch.currency, '')) as currencies
    from temp.group_deposits as members
    cross join deposit on deposit.ach_deposit_id = members.ach_deposit_id
    cross join batch
        on batch.merchant_id = members.merchant_id
        and batch.day = deposit.association_date
    where batch.gone_in is null
    group by members.ach_deposit_id
),
fitting as (
    select
        members.ach_deposit_id,
        min(batches.currency) as currency,
        count(*) as currencies
    from temp.group_deposits as members
    cross join deposit on deposit.ach_deposit_id = members.ach_deposit_id
    inner join temp.batch_totals as batches
        on batches.merchant_id = members.merchant_id
        and batches.group_date = members.group_date
        and batches.sales_minor = deposit.sales_minor
        and batches.returns_minor = deposit.returns_minor
        and batches.transactions = deposit.transactions
    group by members.ach_deposit_id
)
select
    members.merchant_id,
    members.group_date,
    members.ach_deposit_id,
    case
        when linked.currencies = 1 then linked.currency
        when dated.currencies = 1 then dated.currency
        when fitting.currencies = 1 then fitting.currency
        when not exists (
            select 1 from temp.batch_totals as batches
            where batches.merchant_id = members.merchant_id
              and batches.group_date = members.group_date
        ) then merchants.currency
    end as currency
from temp.group_deposits as members
inner join temp.merchants as merchants
    on merchants.merchant_id = members.merchant_id
left join linked on linked.ach_deposit_id = members.ach_deposit_id
left join dated on dated.ach_deposit_id = members.ach_deposit_id
left join fitting on fitting.ach_deposit_id = members.ach_deposit_id;
create unique index temp.deposit_currencies_key
    on deposit_currencies (ach_deposit_id);

-- purpose: the groups with batches in several currencies whose deposits are
-- each known to be in one of them: these are judged currency by currency.
-- grain: one merchant and group.
create temp table split_groups as
select batches.merchant_id, batches.group_date
from temp.batch_totals as batches
group by batches.merchant_id, batches.group_date
having count(*) > 1
   and count(*) = count(batches.currency)
   and not exists (
       select 1 from temp.deposit_currencies as deposits
       where deposits.merchant_id = batches.merchant_id
         and deposits.group_date = batches.group_date
         and not exists (
             select 1 from temp.batch_totals as other
             where other.merchant_id = deposits.merchant_id
               and other.group_date = deposits.group_date
               and other.currency = deposits.currency
         )
   );
create unique index temp.split_groups_key
    on split_groups (merchant_id, group_date);

-- purpose: the sums of the deposits of a group that were paid on or before D.
-- grain: one merchant and group, and currency where the group is split by it.
create temp table deposit_totals as
select
    members.merchant_id,
    members.group_date,
    case when split.group_date is not null then currencies.currency
        end as currency,
    count(*) as deposits,
    case when count(*) = count(deposit.sales_minor)
        then sum(deposit.sales_minor) end as sales_minor,
    case when count(*) = count(deposit.returns_minor)
        then sum(deposit.returns_minor) end as returns_minor,
    case when count(*) = count(deposit.transactions)
        then sum(deposit.transactions) end as transactions,
    case when count(*) = count(deposit.ach_adjustment_minor)
        then sum(deposit.ach_adjustment_minor) end as ach_adjustment_minor,
    case when count(*) = count(deposit.net_amount_minor)
        then sum(deposit.net_amount_minor) end as net_amount_minor,
    case
        when count(*) = count(deposit.held_sales_minor)
            and count(*) = count(deposit.holdback_minor)
            and count(*) = count(deposit.reserve_release_minor)
            then sum(
                asof.sign_held_sales * deposit.held_sales_minor
                + asof.sign_holdback * deposit.holdback_minor
                + asof.sign_reserve_release * deposit.reserve_release_minor
            )
    end as stated_minor,
    max(deposit.day >= asof.start_date) as is_paid_since_start,
    group_concat(deposit.ach_deposit_id, ';' order by deposit.ach_deposit_id)
        as deposit_ids
from temp.group_deposits as members
cross join temp.asof as asof
cross join deposit on deposit.ach_deposit_id = members.ach_deposit_id
inner join temp.deposit_currencies as currencies
    on currencies.ach_deposit_id = members.ach_deposit_id
left join temp.split_groups as split
    on split.merchant_id = members.merchant_id
    and split.group_date = members.group_date
group by
    members.merchant_id,
    members.group_date,
    case when split.group_date is not null then currencies.currency end;
