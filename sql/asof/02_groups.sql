-- purpose: the deposits of each group, paid on or before D: those that its transactions name,
-- and those for one of its days that no transaction names.
-- grain: one deposit.
create temp table group_deposits as
with linked as (
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
)
select merchant_id, group_date, ach_deposit_id from linked
union all
select days.merchant_id, days.group_date, deposit.ach_deposit_id
from temp.group_days as days
cross join temp.asof as asof
inner join deposit
    on deposit.merchant_id = days.merchant_id
    and deposit.association_date = days.batch_date
where deposit.gone_in is null
  and deposit.day <= asof.business_date
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
create index temp.group_deposits_by_group on group_deposits (merchant_id, group_date);

-- purpose: whether the listings that a batch date depends on are complete.
-- grain: one batch date.
create temp table days_read as
with recursive
days as (select distinct batch_date from temp.group_days),
-- From D back to the earliest of these days, as long as the deposits of each were read: what is
-- open may be years old, and is asked about once.
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
        and (unread.last_day is null or unread.last_day < days.batch_date) as are_deposits_read
from days
cross join temp.asof as asof
cross join unread;

-- purpose: what the headers of a group's batches add up to.
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
cross join batch on batch.merchant_id = days.merchant_id and batch.day = days.batch_date
where batch.gone_in is null
group by batch.merchant_id, days.group_date, batch.currency;

-- purpose: what the deposits of a group, paid on or before D, add up to.
-- grain: one merchant and group.
create temp table deposit_totals as
select
    members.merchant_id,
    members.group_date,
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
from temp.group_deposits as members
cross join temp.asof as asof
cross join deposit on deposit.ach_deposit_id = members.ach_deposit_id
group by members.merchant_id, members.group_date;

-- purpose: the merchant-days with the batch date before each, and whether it is one itself.
-- grain: one merchant and batch date.
create temp table spans as
select
    days.merchant_id,
    days.batch_date,
    days.group_date,
    -- A merchant without an earlier batch: as far as the look-back reaches.
    coalesce((
        select max(batch.day) from batch
        where batch.merchant_id = days.merchant_id
          and batch.day < days.batch_date
          and batch.gone_in is null
    ), date(days.batch_date, '-' || asof.lookback_days || ' days')) as previous_batch_date,
    exists (
        select 1 from batch
        where batch.merchant_id = days.merchant_id
          and batch.day = days.batch_date
          and batch.gone_in is null
    ) as has_batch
from temp.group_days as days
cross join temp.asof as asof;

-- purpose: the returns that can count to one of these merchant-days.
-- grain: one return.
create temp table merchant_returns as
with
-- Few days, whatever is open: a span is as long as a merchant goes without a batch.
windows as (select distinct previous_batch_date, batch_date from temp.spans),
returned as (
    select distinct returned.payment_id, returned.return_id, returned.return_date
    from windows
    cross join temp.asof as asof
    cross join transfer_return as returned
        on returned.return_date > windows.previous_batch_date
        and returned.return_date <= windows.batch_date
    where returned.return_date <= asof.business_date
)
select
    terminal.merchant_id,
    returned.return_date,
    returned.return_id,
    payment.currency,
    payment.amount_minor,
    -- The deposit for its date that adjusts something takes it, whether or not there is a batch.
    (
        select min(deposit.ach_deposit_id) from deposit
        where deposit.merchant_id = terminal.merchant_id
          and deposit.association_date = returned.return_date
          and deposit.ach_adjustment_minor <> 0
          and deposit.gone_in is null
          and deposit.day <= asof.business_date
    ) as taken_by
from returned
cross join temp.asof as asof
cross join bank_transfer as payment
    on payment.kind = 'payment' and payment.transfer_id = returned.payment_id
inner join temp.configured_terminal as terminal
    on terminal.terminal_id = payment.terminal_id;
create index temp.merchant_returns_key on merchant_returns (merchant_id, return_date);

-- purpose: the days with batches that name no merchant, each of which may be anybody's.
-- grain: one day, with the first of them in words.
create temp table nameless_batches as
select
    batch.day,
    'batch ' || min(batch.batch_id) || ' of ' || batch.day || ' names no merchant' as problem
from temp.asof as asof
cross join batch on batch.merchant_id is null and batch.day <= asof.business_date
where batch.gone_in is null
group by batch.day;

-- purpose: the returned bank transfers of each group: a return counts to the group whose deposit
-- has its date as association date and adjusts something, else to its batch date, else to the
-- merchant's next batch date.
-- grain: one return of a group.
create temp table group_returns as
select distinct
    members.merchant_id,
    returned.return_date as batch_date,
    members.group_date,
    returned.currency,
    returned.amount_minor,
    returned.return_id,
    1 as is_placed
from temp.merchant_returns as returned
inner join temp.group_deposits as members on members.ach_deposit_id = returned.taken_by
union all
select
    spans.merchant_id,
    spans.batch_date,
    spans.group_date,
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
    ) = julianday(spans.batch_date) - julianday(returned.return_date)
    and not exists (
        select 1 from temp.nameless_batches as nameless
        where nameless.day >= returned.return_date
          and nameless.day < spans.batch_date
    ) as is_placed
from temp.spans as spans
inner join temp.merchant_returns as returned
    on returned.merchant_id = spans.merchant_id
    and returned.return_date > spans.previous_batch_date
    and returned.return_date <= spans.batch_date
where spans.has_batch and returned.taken_by is null;
create index temp.group_returns_key on group_returns (merchant_id, group_date);

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
-- grain: one merchant, batch date and currency; the days of one group have the same figures.
create temp table groups as
with
asof as (select * from temp.asof),
currencies as (
    select
        merchant_id,
        group_date,
        count(*) as currencies,
        count(currency) as known_currencies
    from temp.batch_totals
    group by merchant_id, group_date
),
reads as (
    select
        days.merchant_id,
        days.group_date,
        min(case when not days_read.are_batches_read then days.batch_date end)
            as unread_batches,
        min(case when not days_read.are_deposits_read then days.batch_date end)
            as unread_deposits
    from temp.group_days as days
    inner join temp.days_read as days_read on days_read.batch_date = days.batch_date
    group by days.merchant_id, days.group_date
)
select
    days.merchant_id,
    merchants.is_checked,
    days.batch_date,
    days.group_date,
    case when currencies.currencies is null
        then merchants.currency else batches.currency end as currency,
    days.is_paid_today,
    due(days.last_date, asof.payout_days, merchants.calendar) as due_date,
    due(days.last_date, asof.payout_days, merchants.calendar) <= asof.business_date as is_due,
    coalesce(batches.batches, 0) as batches,
    case when batches.batches is null then 0 else batches.sales_minor end as batch_sales_minor,
    case when batches.batches is null then 0 else batches.returns_minor end
        as batch_returns_minor,
    case when batches.batches is null then 0 else batches.transactions end
        as batch_transactions,
    -- What the deposits paid so far are compared with, and what the whole group holds: the
    -- headers, unless links say more (04_group_links).
    case when batches.batches is null then 0 else batches.sales_minor end as below_sales_minor,
    case when batches.batches is null then 0 else batches.returns_minor end
        as below_returns_minor,
    case when batches.batches is null then 0 else batches.transactions end as below_transactions,
    case when batches.batches is null then 0 else batches.sales_minor end as whole_sales_minor,
    case when batches.batches is null then 0 else batches.returns_minor end
        as whole_returns_minor,
    case when batches.batches is null then 0 else batches.transactions end as whole_transactions,
    -- Why the level below cannot be told.
    null as below_problem,
    -- Which deposit may pay for it, or which batch belong to it, and does not say so
    -- (04_group_links).
    null as unassigned,
    null as unclaimed,
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
    (
        select coalesce(sum(returned.amount_minor), 0) from temp.group_returns as returned
        where returned.merchant_id = days.merchant_id
          and returned.group_date = days.group_date
          and returned.currency is case when batches.batches is null
              then merchants.currency else batches.currency end
    ) as returned_minor,
    case
        -- Without a batch, and with nothing that adjusts, nothing counts here.
        when batches.batches is null and coalesce(deposits.ach_adjustment_minor, 0) = 0 then null
        when not merchants.are_terminals_known
            then 'the terminals of merchant ' || days.merchant_id
                || ' are not configured, so its returned bank transfers were not read'
        when days.merchant_id in (select merchant_id from temp.returns_unread)
            then 'the returned bank transfers of merchant ' || days.merchant_id
                || ' were not read completely'
        when exists (
            select 1 from temp.group_returns as returned
            where returned.merchant_id = days.merchant_id
              and returned.group_date = days.group_date
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
    -- Tested on D: paid today, fallen due since the latest earlier date, still open, or read late.
    days.is_paid_today
        or days.is_asked_again
        or (
            (
                days.was_in_transit
                or due(days.last_date, asof.payout_days, merchants.calendar) > asof.due_after
            )
            and due(days.last_date, asof.payout_days, merchants.calendar) <= asof.business_date
        ) as is_tested,
    case
        when reads.unread_batches is not null
            then 'the batches of ' || reads.unread_batches || ' were not read completely'
        when reads.unread_deposits is not null
            then 'the deposits from ' || reads.unread_deposits || ' to ' || asof.business_date
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
inner join reads
    on reads.merchant_id = days.merchant_id and reads.group_date = days.group_date
left join currencies
    on currencies.merchant_id = days.merchant_id and currencies.group_date = days.group_date
left join temp.batch_totals as batches
    on batches.merchant_id = days.merchant_id and batches.group_date = days.group_date
left join temp.deposit_totals as deposits
    on deposits.merchant_id = days.merchant_id and deposits.group_date = days.group_date;
create index temp.groups_key on groups (merchant_id, batch_date);
