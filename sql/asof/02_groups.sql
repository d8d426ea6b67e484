-- purpose: the merchant-days that this date looks at, and why.
-- grain: one merchant and batch date.
-- A merchant-day is looked at when it is dated D, when a deposit for it is paid on D, while
-- its batches wait for their deposit, when they fall due, and while something of it is open.
create temp table group_days as
with
asof as (select * from temp.asof),
dated as (
    select batch.merchant_id, batch.day as batch_date
    from asof
    inner join batch on batch.day = asof.business_date
    where batch.gone_in is null
),
paid as (
    select deposit.merchant_id, deposit.association_date as batch_date
    from asof
    inner join deposit on deposit.day = asof.business_date
    where deposit.gone_in is null
      and deposit.association_date is not null
),
waiting as (
    select batch.merchant_id, batch.day as batch_date
    from asof
    inner join batch on batch.day between asof.window_start and asof.business_date
    inner join temp.merchants as merchants on merchants.merchant_id = batch.merchant_id
    where batch.gone_in is null
      and due(batch.day, asof.payout_days, merchants.calendar) > asof.due_after
),
still_open as (
    select merchant_id, batch_date
    from temp.carried
    where batch_date is not null
      and (code like 'DEPOSIT%' or code like 'BATCH%')
)
select
    all_days.merchant_id,
    all_days.batch_date,
    max(all_days.is_paid) as is_paid_today,
    max(all_days.is_open) as is_open
from (
    select merchant_id, batch_date, 0 as is_paid, 0 as is_open from dated
    union all
    select merchant_id, batch_date, 1, 0 from paid
    union all
    select merchant_id, batch_date, 0, 0 from waiting
    union all
    select merchant_id, batch_date, 0, 1 from still_open
) as all_days
inner join temp.merchants as merchants on merchants.merchant_id = all_days.merchant_id
group by all_days.merchant_id, all_days.batch_date;
create unique index temp.group_days_key on group_days (merchant_id, batch_date);

-- purpose: whether the listings that a batch date depends on are complete.
-- grain: one batch date.
create temp table days_read as
with days as (select distinct batch_date from temp.group_days)
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
    (
        select count(*) from temp.complete_listing as listing
        where listing.resource = 'ach-deposits'
          and listing.selector = 'date'
          and listing.business_date between days.batch_date and asof.business_date
    ) = julianday(asof.business_date) - julianday(days.batch_date) + 1 as are_deposits_read
from days
cross join temp.asof as asof;

-- purpose: what the headers of a merchant's batches of a day add up to.
-- grain: one merchant, batch date and currency (null when a header names none).
create temp table batch_totals as
select
    batch.merchant_id,
    batch.day as batch_date,
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
cross join batch on batch.merchant_id = days.merchant_id and batch.day = days.batch_date
where batch.gone_in is null
group by batch.merchant_id, batch.day, batch.currency;

-- purpose: what the deposits for a merchant-day, paid on or before D, add up to.
-- grain: one merchant and batch date.
create temp table deposit_totals as
select
    deposit.merchant_id,
    deposit.association_date as batch_date,
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
    group_concat(deposit.ach_deposit_id, ';' order by deposit.ach_deposit_id) as deposit_ids
from temp.group_days as days
cross join temp.asof as asof
inner join deposit
    on deposit.merchant_id = days.merchant_id
    and deposit.association_date = days.batch_date
where deposit.gone_in is null
  and deposit.day <= asof.business_date
group by deposit.merchant_id, deposit.association_date;

-- purpose: the merchant-days with the batch date before each.
-- grain: one merchant and batch date.
create temp table spans as
select
    days.merchant_id,
    days.batch_date,
    -- A merchant without an earlier batch: as far as the look-back reaches.
    coalesce((
        select max(batch.day) from batch
        where batch.merchant_id = days.merchant_id
          and batch.day < days.batch_date
          and batch.gone_in is null
    ), date(days.batch_date, '-' || asof.lookback_days || ' days')) as previous_batch_date
from temp.group_days as days
cross join temp.asof as asof;

-- purpose: the returns that can count to one of these merchant-days.
-- grain: one return.
create temp table merchant_returns as
select
    terminal.merchant_id,
    returned.return_date,
    returned.return_id,
    payment.currency,
    payment.amount_minor
from temp.asof as asof
cross join transfer_return as returned
cross join bank_transfer as payment
    on payment.kind = 'payment' and payment.transfer_id = returned.payment_id
inner join temp.configured_terminal as terminal
    on terminal.terminal_id = payment.terminal_id
where returned.return_date > (select min(previous_batch_date) from temp.spans)
  and returned.return_date <= asof.business_date;
create index temp.merchant_returns_key on merchant_returns (merchant_id, return_date);

-- purpose: the returned bank transfers of each merchant-day: a return dated on a day without
-- a batch of its merchant counts to the merchant's next batch date.
-- grain: one return of a merchant-day.
create temp table group_returns as
select
    spans.merchant_id,
    spans.batch_date,
    returned.currency,
    returned.amount_minor,
    returned.return_id,
    -- Whether no batch can have come between the return and the batch date.
    (
        select count(*) from temp.complete_listing as listing
        where listing.resource = 'batches'
          and listing.selector = 'date'
          and listing.business_date >= returned.return_date
          and listing.business_date < spans.batch_date
    ) = julianday(spans.batch_date) - julianday(returned.return_date) as is_placed
from temp.spans as spans
inner join temp.merchant_returns as returned
    on returned.merchant_id = spans.merchant_id
    and returned.return_date > spans.previous_batch_date
    and returned.return_date <= spans.batch_date;
create index temp.group_returns_key on group_returns (merchant_id, batch_date);

-- purpose: a merchant whose returned bank transfers were not all read for D.
-- grain: one merchant.
create temp table returns_unread as
select distinct terminal.merchant_id
from temp.configured_terminal as terminal
cross join temp.asof as asof
where not exists (
    select 1 from temp.complete_listing as listing
    where listing.resource = 'bank-transfer-payments'
      and listing.selector = 'returned'
      and listing.scope = terminal.terminal_id
      and listing.business_date = asof.business_date
);

-- purpose: the groups that deposits and batches have in common.
-- grain: one merchant, batch date and currency.
create temp table groups as
with
asof as (select * from temp.asof),
currencies as (
    select
        merchant_id,
        batch_date,
        count(*) as currencies,
        count(currency) as known_currencies
    from temp.batch_totals
    group by merchant_id, batch_date
)
select
    days.merchant_id,
    merchants.is_checked,
    days.batch_date,
    case when currencies.currencies is null
        then merchants.currency else batches.currency end as currency,
    days.is_paid_today,
    days.is_open,
    due(days.batch_date, asof.payout_days, merchants.calendar) as due_date,
    due(days.batch_date, asof.payout_days, merchants.calendar) <= asof.business_date as is_due,
    coalesce(batches.batches, 0) as batches,
    case when batches.batches is null then 0 else batches.sales_minor end as batch_sales_minor,
    case when batches.batches is null then 0 else batches.returns_minor end
        as batch_returns_minor,
    case when batches.batches is null then 0 else batches.transactions end
        as batch_transactions,
    batches.first_batch_id,
    coalesce(batches.batch_ids, '') as batch_ids,
    coalesce(deposits.deposits, 0) as deposits,
    deposits.sales_minor as deposit_sales_minor,
    deposits.returns_minor as deposit_returns_minor,
    deposits.transactions as deposit_transactions,
    deposits.ach_adjustment_minor,
    deposits.net_amount_minor,
    deposits.stated_minor,
    coalesce(deposits.deposit_ids, '') as deposit_ids,
    -- On a day without a batch nothing counts: it counts to the next batch date.
    (
        select coalesce(sum(returned.amount_minor), 0) from temp.group_returns as returned
        where returned.merchant_id = days.merchant_id
          and returned.batch_date = days.batch_date
          and returned.currency is batches.currency
          and batches.batches is not null
    ) as returned_minor,
    case
        when batches.batches is null then null
        when not merchants.are_terminals_known
            then 'the terminals of merchant ' || days.merchant_id
                || ' are not configured, so its returned bank transfers were not read'
        when days.merchant_id in (select merchant_id from temp.returns_unread)
            then 'the returned bank transfers of merchant ' || days.merchant_id
                || ' were not read completely'
        when exists (
            select 1 from temp.group_returns as returned
            where returned.merchant_id = days.merchant_id
              and returned.batch_date = days.batch_date
              and (
                  not returned.is_placed
                  or returned.amount_minor is null
                  or returned.currency is null
              )
        )
            then 'the batch date that a returned bank transfer of merchant '
                || days.merchant_id || ' counts to is not known'
    end as returned_problem,
    -- Nothing was asked about this merchant's bank transfers; without an adjustment there
    -- is nothing to explain either.
    not merchants.are_terminals_known as are_returns_unknowable,
    -- Judged: dated on or after the start, or paid by a deposit on or after it.
    days.batch_date >= asof.start_date or coalesce(deposits.is_paid_since_start, 0) as is_judged,
    -- Tested on D: paid today, fallen due since the latest earlier date, or still open.
    days.is_paid_today
        or days.is_open
        or (
            due(days.batch_date, asof.payout_days, merchants.calendar) > asof.due_after
            and due(days.batch_date, asof.payout_days, merchants.calendar) <= asof.business_date
        ) as is_tested,
    case
        when not days_read.are_batches_read
            then 'the batches of ' || days.batch_date || ' were not read completely'
        when not days_read.are_deposits_read
            then 'the deposits from ' || days.batch_date || ' to ' || asof.business_date
                || ' were not read completely'
    end as unread,
    case
        when coalesce(currencies.currencies, 1) > 1
            then 'the batches of merchant ' || days.merchant_id || ' on ' || days.batch_date
                || ' have several currencies'
        when currencies.currencies = 1 and currencies.known_currencies = 0
            then 'a batch of merchant ' || days.merchant_id || ' on ' || days.batch_date
                || ' names no currency'
        when currencies.currencies is null
            and merchants.currency is null
            then 'the currency of merchant ' || days.merchant_id || ' is not known'
    end as currency_problem
from temp.group_days as days
cross join asof
inner join temp.merchants as merchants on merchants.merchant_id = days.merchant_id
inner join temp.days_read as days_read on days_read.batch_date = days.batch_date
left join currencies
    on currencies.merchant_id = days.merchant_id and currencies.batch_date = days.batch_date
left join temp.batch_totals as batches
    on batches.merchant_id = days.merchant_id and batches.batch_date = days.batch_date
left join temp.deposit_totals as deposits
    on deposits.merchant_id = days.merchant_id and deposits.batch_date = days.batch_date;
create index temp.groups_key on groups (merchant_id, batch_date);

-- purpose: the groups whose deposits are compared with their batches on D.
-- grain: one merchant and batch date.
create temp table judged_groups as
select
    groups.*,
    coalesce(groups.unread, groups.currency_problem) as problem,
    groups.merchant_id || '/' || coalesce(groups.currency, '') || '/' || groups.batch_date
        as subject,
    'of merchant ' || groups.merchant_id || ' for ' || groups.batch_date as whose
from temp.groups as groups
where groups.is_checked
  and groups.is_judged
  and groups.is_tested
  and groups.deposits > 0
  -- Without a batch a deposit that pays something is itself the finding.
  and (
      groups.batches > 0
      or groups.unread is not null
      or (
          groups.deposit_sales_minor = 0
          and groups.deposit_returns_minor = 0
          and groups.deposit_transactions = 0
      )
  )
  -- Of several currencies one row is enough to say that the group is not evaluated.
  and (groups.currency_problem is null or groups.first_batch_id is (
      select min(other.first_batch_id) from temp.groups as other
      where other.merchant_id = groups.merchant_id and other.batch_date = groups.batch_date
  ));
