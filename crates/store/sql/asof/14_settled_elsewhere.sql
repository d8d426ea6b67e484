-- purpose: the groups of which deposits lack something, where the key cannot
-- ask what becomes of a transaction.
-- grain: one merchant, group and currency.
create temp table short_groups as
select
    groups.merchant_id,
    groups.group_date,
    groups.currency,
    groups.is_due,
    groups.below_sales_minor - iif(groups.deposits = 0, 0,
        groups.deposit_sales_minor) as sales_minor,
    groups.below_returns_minor - iif(groups.deposits = 0, 0,
        groups.deposit_returns_minor) as returns_minor,
    groups.below_transactions - iif(groups.deposits = 0, 0,
        groups.deposit_transactions) as transactions
from temp.groups as groups
cross join temp.asof as asof
where not asof.uses_links
  and groups.is_checked
  and groups.batch_date = groups.group_date
  and groups.batches > 0
  and groups.currency_problem is null
  and groups.below_transactions > iif(groups.deposits = 0, 0,
      groups.deposit_transactions);

-- purpose: the merchants of which a date that was due is short: one that D
-- looks at, or one of the two weeks before it, by which the groups that are not
-- due yet are known.
-- grain: one merchant.
create temp table short_merchants as
with recent as (
    select
        batch.merchant_id,
        batch.day,
        sum(batch.transaction_count) as transactions,
        (
            select coalesce(sum(deposit.transactions), 0)
            from deposit
            where deposit.merchant_id = batch.merchant_id
              and deposit.association_date = batch.day
              and deposit.gone_in is null
              and deposit.day <= asof.business_date
        ) as paid_transactions
    from (
        select distinct merchant_id from temp.short_groups where not is_due
    ) as waiting
    cross join temp.asof as asof
    inner join temp.merchants as merchants
        on merchants.merchant_id = waiting.merchant_id
    cross join batch
        on batch.merchant_id = waiting.merchant_id
        and batch.day between date(asof.business_date, '-14 days')
            and asof.business_date
    where batch.gone_in is null
      and due(batch.day, merchants.payout_days, merchants.calendar)
          <= asof.business_date
    group by batch.merchant_id, batch.day
)
select merchant_id from temp.short_groups where is_due
union
select merchant_id from recent where transactions > paid_transactions;

-- purpose: what is missing of the dates of these merchants within the look-back
-- to the deposits of the date, or to those of a date within four days: a
-- deposit can be dated beside its batches.
-- grain: one merchant and batch date.
create temp table contract_dates as
with
headers as materialized (
    select
        batch.merchant_id,
        batch.day,
        sum(batch.sale_amount_minor) as sales_minor,
        sum(batch.return_amount_minor) as returns_minor,
        sum(batch.transaction_count) as transactions
    from temp.short_merchants as merchants
    cross join temp.asof as asof
    cross join batch
        on batch.merchant_id = merchants.merchant_id
        and batch.day between
            date(asof.business_date, '-' || asof.lookback_days || ' days')
            and asof.business_date
    where batch.gone_in is null
    group by batch.merchant_id, batch.day
),
paid as materialized (
    select
        deposit.merchant_id,
        deposit.association_date as day,
        sum(deposit.sales_minor) as sales_minor,
        sum(deposit.returns_minor) as returns_minor,
        sum(deposit.transactions) as transactions
    from temp.short_merchants as merchants
    cross join temp.asof as asof
    cross join deposit
        on deposit.merchant_id = merchants.merchant_id
        and deposit.association_date between
            date(asof.business_date, '-' || asof.lookback_days || ' days')
            and asof.business_date
    where deposit.gone_in is null
      and deposit.day <= asof.business_date
    group by deposit.merchant_id, deposit.association_date
)
select
    headers.merchant_id,
    headers.day,
    headers.sales_minor - coalesce(own.sales_minor, 0) as sales_minor,
    headers.returns_minor - coalesce(own.returns_minor, 0) as returns_minor,
    headers.transactions - coalesce(own.transactions, 0) as transactions,
    exists (
        select 1 from paid
        where paid.merchant_id = headers.merchant_id
          and paid.day between date(headers.day, '-4 days')
              and date(headers.day, '+4 days')
          and paid.sales_minor = headers.sales_minor
          and paid.returns_minor = headers.returns_minor
          and paid.transactions = headers.transactions
    ) as is_tied,
    due(headers.day, merchants.payout_days, merchants.calendar)
        <= asof.business_date
        and headers.day >= date(asof.business_date, '-14 days')
            as is_recent
from headers
cross join temp.asof as asof
inner join temp.merchants as merchants
    on merchants.merchant_id = headers.merchant_id
left join paid as own
    on own.merchant_id = headers.merchant_id and own.day = headers.day;
create unique index temp.contract_dates_key
    on contract_dates (merchant_id, day);

-- purpose: the items of such a card type that a group may lack, and those of
-- the dates that were due and are short.
-- grain: one batch and card type; without amounts where one is unknown.
create temp table contract_items as
with days as (
    select groups.merchant_id, days.batch_date as day
    from temp.short_groups as groups
    inner join temp.group_days as days
        on days.merchant_id = groups.merchant_id
        and days.group_date = groups.group_date
    where groups.merchant_id in (select merchant_id from temp.short_merchants)
    union
    select merchant_id, day from temp.contract_dates
    where is_recent and transactions > 0
)
select
    days.merchant_id,
    days.day,
    batch.batch_id,
    batch.currency,
    types.place,
    count(*) as transactions,
    iif(count(*) = count(item.amount_minor), sum(iif(
        item.transaction_type = 'capture', item.amount_minor, 0)), null)
        as sales_minor,
    iif(count(*) = count(item.amount_minor), sum(iif(
        item.transaction_type = 'return', abs(item.amount_minor), 0)), null)
        as returns_minor
from days
cross join batch
    on batch.merchant_id = days.merchant_id and batch.day = days.day
cross join contract_card as item
    on item.day = batch.day and item.batch_id = batch.batch_id
cross join temp.contract_types as types on types.card_type = item.card_type
where batch.gone_in is null
group by days.merchant_id, days.day, batch.batch_id, types.place;
create index temp.contract_items_key on contract_items (merchant_id, day);

-- purpose: the card types that the processor does not pay a merchant, as far as
-- its dates say: none that holds one ties out.
-- grain: one merchant and card type, and whether a date that was due is short
-- by it.
create temp table own_contracts as
select
    items.merchant_id,
    items.place,
    max(exists (
        select 1
        from temp.contract_dates as dates
        inner join temp.contract_items as other
            on other.merchant_id = dates.merchant_id and other.day = dates.day
        where dates.merchant_id = items.merchant_id
          and dates.is_recent
          and other.place = items.place
        group by dates.day
        having sum(other.sales_minor) <= min(dates.sales_minor)
           and sum(other.returns_minor) <= min(dates.returns_minor)
           and sum(other.transactions) <= min(dates.transactions)
    )) as is_known
from (select distinct merchant_id, place from temp.contract_items) as items
inner join temp.contract_types as types on types.place = items.place
where not exists (
    select 1
    from temp.contract_dates as dates
    cross join batch
        on batch.merchant_id = dates.merchant_id and batch.day = dates.day
    cross join contract_card as item
        on item.day = batch.day and item.batch_id = batch.batch_id
    where dates.merchant_id = items.merchant_id
      and dates.is_tied
      and batch.gone_in is null
      and item.card_type = types.card_type
)
group by items.merchant_id, items.place;

-- purpose:
create temp table contract_sums as
select
    groups.merchant_id,
    groups.group_date,
    groups.currency,
    items.place,
    sum(items.sales_minor) as sales_minor,
    sum(items.returns_minor) as returns_minor,
    sum(items.transactions) as transactions,
    row_number() over (
        partition by groups.merchant_id, groups.group_date, groups.currency
        order by items.place
    ) as nth
from temp.short_groups as groups
inner join temp.group_days as days
    on days.merchant_id = groups.merchant_id
    and days.group_date = groups.group_date
inner join temp.contract_items as items
    on items.merchant_id = days.merchant_id
    and items.day = days.batch_date
    and items.currency = groups.currency
inner join temp.own_contracts as contracts
    on contracts.merchant_id = items.merchant_id
    and contracts.place = items.place
where groups.is_due or contracts.is_known
group by groups.merchant_id, groups.group_date, groups.currency, items.place
having count(*) = count(items.sales_minor);

-- purpose: what a card company pays itself of a group: all that the group holds
-- of its type, where that fits into what its deposits lack.
-- grain: one merchant, group, currency and card type.
create temp table elsewhere_types as
with recursive
-- What is left of the shortfall, type by type.
steps as (
    select
        merchant_id,
        group_date,
        currency,
        0 as nth,
        0 as is_taken,
        sales_minor,
        returns_minor,
        transactions
    from temp.short_groups
    union all
    select
        steps.merchant_id,
        steps.group_date,
        steps.currency,
        sums.nth,
        choice.is_taken,
        steps.sales_minor - choice.is_taken * sums.sales_minor,
        steps.returns_minor - choice.is_taken * sums.returns_minor,
        steps.transactions - choice.is_taken * sums.transactions
    from steps
    inner join temp.contract_sums as sums
        on sums.merchant_id = steps.merchant_id
        and sums.group_date = steps.group_date
        and sums.currency = steps.currency
        and sums.nth = steps.nth + 1
    inner join (select 0 as is_taken union all select 1) as choice
        on choice.is_taken = (
            sums.sales_minor <= steps.sales_minor
            and sums.returns_minor <= steps.returns_minor
            and sums.transactions <= steps.transactions
        )
)
select
    sums.merchant_id,
    sums.group_date,
    sums.currency,
    sums.place,
    sums.sales_minor,
    sums.returns_minor,
    sums.transactions
from steps
inner join temp.contract_sums as sums
    on sums.merchant_id = steps.merchant_id
    and sums.group_date = steps.group_date
    and sums.currency = steps.currency
    and sums.nth = steps.nth
where steps.is_taken;
create index temp.elsewhere_types_key
    on elsewhere_types (merchant_id, group_date, currency);

-- purpose: the same of each batch.
-- grain: one batch.
create temp table elsewhere_batches as
select
    items.batch_id,
    sum(items.sales_minor) as sales_minor,
    sum(items.returns_minor) as returns_minor,
    sum(items.transactions) as transactions
from temp.elsewhere_types as types
inner join temp.group_days as days
    on days.merchant_id = types.merchant_id
    and days.group_date = types.group_date
inner join temp.contract_items as items
    on items.merchant_id = days.merchant_id
    and items.day = days.batch_date
    and items.currency = types.currency
    and items.place = types.place
group by items.batch_id;
create unique index temp.elsewhere_batches_key on elsewhere_batches (batch_id);

-- purpose: the same of each group, with a hint for each card type.
-- grain: one merchant, group and currency.
create temp table elsewhere_groups as
select
    types.merchant_id,
    types.group_date,
    types.currency,
    sum(types.sales_minor) as sales_minor,
    sum(types.returns_minor) as returns_minor,
    sum(types.transactions) as transactions,
    group_concat(
        json_array(
            'elsewhere', types.sales_minor - types.returns_minor,
            types.currency, contract.card_type
        ), '' order by types.place
    ) as hint
from temp.elsewhere_types as types
inner join temp.contract_types as contract on contract.place = types.place
group by types.merchant_id, types.group_date, types.currency;
create unique index temp.elsewhere_groups_key
    on elsewhere_groups (merchant_id, group_date, currency);

-- purpose: compare the deposits of a group with what the processor pays of it.
-- grain: one merchant, batch date and currency.
update temp.groups set (
    below_sales_minor, below_returns_minor, below_transactions,
    whole_sales_minor, whole_returns_minor, whole_transactions
) = (
    select
        groups.below_sales_minor - elsewhere.sales_minor,
        groups.below_returns_minor - elsewhere.returns_minor,
        groups.below_transactions - elsewhere.transactions,
        groups.whole_sales_minor - elsewhere.sales_minor,
        groups.whole_returns_minor - elsewhere.returns_minor,
        groups.whole_transactions - elsewhere.transactions
    from temp.elsewhere_groups as elsewhere
    where elsewhere.merchant_id = groups.merchant_id
      and elsewhere.group_date = groups.group_date
      and elsewhere.currency = groups.currency
)
where (merchant_id, group_date, currency) in
    (select merchant_id, group_date, currency from temp.elsewhere_groups);

-- purpose: of a group that holds such items and of which they were not all
-- read, what its deposits lack cannot be told.
-- grain: one merchant, batch date and currency.
update temp.groups set below_problem = (
    select json_array(
        'card_types_unread', min(days.batch_date), groups.merchant_id
    )
    from temp.group_days as days
    inner join temp.days_read as days_read
        on days_read.batch_date = days.batch_date
    where days.merchant_id = groups.merchant_id
      and days.group_date = groups.group_date
      and not days_read.are_authorizations_read
    having count(*) > 0
)
where below_problem is null
  and is_due
  and (merchant_id, group_date) in (
      select days.merchant_id, days.group_date
      from temp.own_contracts as contracts
      inner join temp.group_days as days
          on days.merchant_id = contracts.merchant_id
      inner join temp.short_groups as groups
          on groups.merchant_id = days.merchant_id
          and groups.group_date = days.group_date
  );
