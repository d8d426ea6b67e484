-- purpose: the money that disputes can move: each once out of the merchant's
-- deposits (its amount, its fee or both) after its first status, back into them
-- after a status that decides for the merchant, in part or in full, and its
-- amount out again after it is lost later on, and so on as it goes back and
-- forth.
-- grain: one dispute, side, turn and status date.
create temp table dispute_movements as
with decided as (
    select
        known.dispute_id,
        known.place,
        known.status_date,
        known.verdict,
        known.verdict in ('won', 'partly') as is_back,
        known.status in (
            'prearbitrationAccepted', 'precomplianceAccepted',
            'arbitrationLost', 'complianceLost'
        ) as is_again
    from temp.dispute_statuses as known
),
turns as (
    select
        own.*,
        (
            select count(*) from decided as earlier
            where earlier.dispute_id = own.dispute_id
              and earlier.place < own.place
              and case when own.is_again then earlier.is_back
                  else earlier.is_again and exists (
                      select 1 from decided as first
                      where first.dispute_id = earlier.dispute_id
                        and first.place < earlier.place
                        and first.is_back
                  ) end
        ) as turn
    from decided as own
    where own.is_back or own.is_again
)
select
    disputes.dispute_id,
    disputes.merchant_id,
    disputes.currency,
    'debit' as side,
    0 as turn,
    disputes.first_date as status_date,
    due(disputes.first_date, 10, disputes.calendar) as until_date,
    disputes.amount_minor,
    disputes.fee_minor
from temp.disputes as disputes
where disputes.is_checked
union all
select
    disputes.dispute_id,
    disputes.merchant_id,
    disputes.currency,
    case
        when turns.is_again then 'debit'
        when turns.verdict = 'won' then 'credit'
        else 'part'
    end as side,
    turns.turn,
    turns.status_date,
    due(turns.status_date, 10, disputes.calendar) as until_date,
    disputes.amount_minor,
    0 as fee_minor
from temp.disputes as disputes
inner join turns on turns.dispute_id = disputes.dispute_id
where disputes.is_checked
  -- It is debited again once it was credited.
  and (turns.is_back or turns.turn > 0);
create index temp.dispute_movements_key
    on dispute_movements (merchant_id, dispute_id, side, turn, status_date);

-- purpose: the returns of each group, with the last day of a deposit that can
-- deduct them.
-- grain: one return of a group.
create temp table late_returns as
select
    returned.merchant_id,
    returned.group_date,
    returned.currency,
    returned.amount_minor,
    returned.return_id,
    returned.return_date,
    due(returned.return_date, 5, merchants.calendar) as until_date,
    -- A deposit of another date may deduct it before its own date is paid.
    exists (
        select 1 from temp.groups as groups
        where groups.merchant_id = returned.merchant_id
          and groups.group_date = returned.group_date
          and groups.deposits = 0
    ) as is_unpaid
from temp.group_returns as returned
inner join temp.merchants as merchants
    on merchants.merchant_id = returned.merchant_id
where returned.amount_minor is not null;

-- purpose: the groups with returns that a later deposit may still deduct: as
-- long as one can be sent, and two banking days longer than the group waits for
-- its own.
-- grain: one group.
create temp table waiting_returns as
select distinct groups.merchant_id, groups.group_date, groups.currency
from temp.late_returns as returned
cross join temp.asof as asof
inner join temp.merchants as merchants
    on merchants.merchant_id = returned.merchant_id
inner join temp.groups as groups
    on groups.merchant_id = returned.merchant_id
    and groups.group_date = returned.group_date
    and groups.currency = returned.currency
where max(
    returned.until_date, due(groups.due_date, 2, merchants.calendar)
) > asof.business_date;

-- purpose: the groups whose deposits adjust by more or less than the returned
-- bank transfers.
-- grain: one group; its deposits with `id/sent/paid/adjustment`, joined with ;.
create temp table adjusted_groups as
select
    groups.merchant_id,
    groups.batch_date,
    groups.currency,
    groups.ach_adjustment_minor - groups.returned_minor as left_minor,
    (
        select group_concat(
            deposit.ach_deposit_id || '/'
                || coalesce(deposit.ach_date, deposit.day) || '/'
                || deposit.day || '/' || deposit.ach_adjustment_minor,
            ';' order by deposit.day, deposit.ach_deposit_id
        )
        from temp.group_deposits as members
        cross join deposit on deposit.ach_deposit_id = members.ach_deposit_id
        where members.merchant_id = groups.merchant_id
          and members.group_date = groups.group_date
    ) as deposits
from temp.groups as groups
where groups.is_checked
  and groups.is_judged
  and groups.batch_date = groups.group_date
  and groups.deposits > 0
  and groups.currency is not null
  and groups.currency_problem is null
  and groups.unread is null
  and groups.returned_problem is null
  and groups.ach_adjustment_minor <> groups.returned_minor;

-- purpose: the groups whose adjustment beyond the dated returns equals one
-- payment without a return date, or the sum of all of these, whenever they were
-- read as returned. No payment came back before it was made; the margin allows
-- for its time zone.
-- grain: one group of adjusted_groups.
create temp table undated_groups as
with undated as materialized (
    select terminal.merchant_id, payment.currency, payment.amount_minor
    from temp.dateless_returns as undated
    cross join temp.asof as asof
    cross join bank_transfer as payment
        on payment.transfer_number = undated.transfer_number
    inner join temp.configured_terminal as terminal
        on terminal.terminal_id = payment.terminal_id
    where payment.kind = 'payment'
      and coalesce(payment.run_at < date(asof.business_date, '+2 days'), 1)
),
amounts as (
    select merchant_id, currency, amount_minor from undated
    union
    select merchant_id, currency, sum(amount_minor) from undated
    group by merchant_id, currency
)
select
    groups.merchant_id,
    groups.batch_date,
    groups.currency,
    groups.left_minor as undated_minor
from temp.adjusted_groups as groups
inner join amounts
    on amounts.merchant_id = groups.merchant_id
    and amounts.currency = groups.currency
    and amounts.amount_minor = groups.left_minor
where groups.left_minor > 0;

-- purpose: balances below zero that may be carried into a later deposit:
-- deposits, and groups without one.
-- grain: one deposit, or one group.
create temp table below_zero as
select
    groups.merchant_id,
    groups.currency,
    groups.batch_date,
    null as ach_deposit_id,
    groups.batch_ids,
    groups.batch_returns_minor - groups.batch_sales_minor as owed_minor,
    due(days.last_date, merchants.payout_days, merchants.calendar)
        as after_date,
    groups.due_date as until_date
from temp.groups as groups
cross join temp.asof as asof
inner join temp.merchants as merchants
    on merchants.merchant_id = groups.merchant_id
inner join temp.group_days as days
    on days.merchant_id = groups.merchant_id
        and days.batch_date = groups.batch_date
where groups.is_checked
  and groups.batch_date = groups.group_date
  and groups.batch_date >= asof.start_date
  and groups.batches > 0
  and groups.deposits = 0
  and groups.batch_sales_minor < groups.batch_returns_minor
  and groups.currency is not null
  and groups.currency_problem is null
  and groups.unread is null
  and groups.unassigned is null
union all
select
    groups.merchant_id,
    groups.currency,
    groups.batch_date,
    deposit.ach_deposit_id,
    groups.batch_ids,
    -deposit.net_amount_minor,
    deposit.day,
    due(deposit.day, 5, merchants.calendar)
from temp.groups as groups
cross join temp.asof as asof
inner join temp.merchants as merchants
    on merchants.merchant_id = groups.merchant_id
inner join temp.group_deposits as members
    on members.merchant_id = groups.merchant_id
        and members.group_date = groups.group_date
cross join deposit on deposit.ach_deposit_id = members.ach_deposit_id
where groups.is_checked
  and groups.batch_date = groups.group_date
  and groups.currency is not null
  and groups.currency_problem is null
  and deposit.day >= asof.start_date
  and deposit.net_amount_minor < 0;

-- purpose: the explanation of a group's adjustment besides returned bank
-- transfers; the search of crates/judge/src/adjustments fills it.
-- grain: one group of adjusted_groups.
create temp table group_adjustments (
    merchant_id text not null,
    batch_date text not null,
    currency text not null,
    -- explained, several, bounded, blind (the key has no disputes), unread, or
    -- none.
    verdict text not null,
    -- The choices that add up, in words; empty without any.
    said text not null,
    -- Why it is not known whether disputes explain it.
    problem text,
    disputed_minor integer not null,
    carried_minor integer not null,
    -- The balances below zero that it exceeds, in words; empty without any.
    exceeds text not null,
    -- The entries that come nearest to it, as a sentence, and the next ones.
    nearest text not null,
    also_near text not null,
    constraint group_adjustments_key
        primary key (merchant_id, batch_date, currency)
) strict, without rowid;

-- grain: one dispute that explains a part of a group's adjustment.
create temp table explaining_disputes (
    dispute_id integer not null,
    merchant_id text not null,
    batch_date text not null,
    amount_minor integer not null
) strict;

-- purpose: what later deposits took. An amount below zero is one that a deposit
-- paid which did not arrive, and that a later deposit, which did, pays again.
-- grain: one balance below zero, or a part of one, that a deposit took.
create temp table carried_balances (
    merchant_id text not null,
    batch_date text not null,
    currency text not null,
    -- Null for a group without a deposit.
    ach_deposit_id integer,
    batch_ids text not null,
    -- The whole balance, and the part that the deposit took.
    balance_minor integer not null,
    owed_minor integer not null,
    into_deposit_id integer not null,
    into_day text not null,
    -- The rest of the balance, and until when a deposit may take it.
    rest_minor integer not null,
    until_date text not null
) strict;

-- purpose: the part of a batch without a deposit that later deposits took: of a
-- group's batches below zero, in order of their ids.
-- grain: one batch.
create temp view batches_carried as
with carried as (
    select merchant_id, batch_date, currency, sum(owed_minor) as taken_minor
    from temp.carried_balances
    where ach_deposit_id is null
    group by merchant_id, batch_date, currency
),
below as (
    select
        batch.batch_id,
        carried.taken_minor,
        batch.return_amount_minor - batch.sale_amount_minor as own_minor,
        sum(batch.return_amount_minor - batch.sale_amount_minor) over (
            partition by batch.merchant_id, batch.day, batch.currency
            order by batch.batch_id
        ) as so_far_minor
    from carried
    cross join batch
        on batch.merchant_id = carried.merchant_id
        and batch.day = carried.batch_date
        and batch.currency = carried.currency
    where batch.gone_in is null
      and batch.sale_amount_minor < batch.return_amount_minor
)
select
    batch_id,
    max(0, own_minor - max(0, so_far_minor - taken_minor)) as taken_minor
from below;

-- grain: one balance below zero that the adjustments of later deposits exceed,
-- or one deposit that did not arrive and that a later one seems to pay again.
create temp table exceeded_balances (
    merchant_id text not null,
    batch_date text not null,
    currency text not null,
    -- Null for a group without a deposit.
    ach_deposit_id integer,
    -- The adjustments, in words.
    said text not null
) strict;
