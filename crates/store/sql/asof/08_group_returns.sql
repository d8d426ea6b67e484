-- purpose: the merchant-days with the batch date before each, and whether the
-- day has a batch itself.
-- grain: one merchant and batch date.
create temp table spans as
select
    days.merchant_id,
    days.batch_date,
    days.group_date,
    -- Without an earlier batch: as far as the look-back reaches.
    coalesce((
        select max(batch.day) from batch
        where batch.merchant_id = days.merchant_id
          and batch.day < days.batch_date
          and batch.gone_in is null
    ), date(days.batch_date, '-' || asof.lookback_days || ' days'))
        as previous_batch_date,
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
-- The distinct windows are few, however many days are open; each is as long as
-- the merchant goes without a batch.
windows as (select distinct previous_batch_date, batch_date from temp.spans),
returned as (
    select distinct returned.payment_id, returned.return_id,
        returned.return_date, returned.effect
    from windows
    cross join temp.asof as asof
    cross join transfer_return as returned
        on returned.return_date > windows.previous_batch_date
        and returned.return_date <= windows.batch_date
    where returned.return_date <= asof.business_date
      and returned.effect <> 0
)
select
    terminal.merchant_id,
    returned.return_date,
    returned.return_id,
    payment.currency,
    -- One that undoes another gives its amount back.
    payment.amount_minor * returned.effect as amount_minor,
    -- The deposit for its date that has an adjustment takes it, with or without
    -- a batch.
    (
        select min(deposit.ach_deposit_id) from deposit
        where deposit.merchant_id = terminal.merchant_id
          and deposit.association_date = returned.return_date
          and deposit.ach_adjustment_minor <> 0
          and deposit.gone_in is null
          and deposit.day <= asof.business_date
          -- A deposit that came back and was sent again takes nothing.
          and deposit.ach_deposit_id not in
              (select ach_deposit_id from temp.resent_deposits)
    ) as taken_by
from returned
cross join temp.asof as asof
cross join bank_transfer as payment
    on payment.kind = 'payment' and payment.transfer_id = returned.payment_id
inner join temp.configured_terminal as terminal
    on terminal.terminal_id = payment.terminal_id
inner join temp.merchants as merchants
    on merchants.merchant_id = terminal.merchant_id
-- A payment that never settled is not taken back: every settled listing from
-- its run to the return was read, also of days before the start, and none holds
-- it. Most payments settled, which is the quickest to see.
where exists (
        select 1 from temp.settled_listing as settled
        where settled.transfer_number = payment.transfer_number
          and settled.business_date <= returned.return_date
    )
   or payment.run_at is null
   or julianday(returned.return_date)
           - julianday(local_date(payment.run_at, merchants.time_zone)) + 1
       <> (
           select count(*) from temp.complete_listing as listing
           where listing.resource = 'bank-transfer-payments'
             and listing.selector = 'settled'
             and listing.scope = payment.terminal_id
             and listing.business_date between
                 local_date(payment.run_at, merchants.time_zone)
                 and returned.return_date
       );
create index temp.merchant_returns_key
    on merchant_returns (merchant_id, return_date);

-- purpose: the days with batches that name no merchant and may belong to any.
-- grain: one day, with the first such batch as a problem.
create temp table nameless_batches as
select
    batch.day,
    json_array('nameless_batch', min(batch.batch_id), batch.day) as problem
from temp.asof as asof
cross join batch
    on batch.merchant_id is null and batch.day <= asof.business_date
where batch.gone_in is null
group by batch.day;

-- purpose: the returned bank transfers of each group: a return counts to the
-- group whose deposit has its date as association date and adjusts something,
-- else to its batch date, else to the merchant's next batch date.
-- grain: one return of a group.
create temp table group_returns as
select distinct
    members.merchant_id,
    returned.return_date as batch_date,
    returned.return_date,
    members.group_date,
    returned.currency,
    returned.amount_minor,
    returned.return_id,
    1 as is_placed
from temp.merchant_returns as returned
inner join temp.group_deposits as members
    on members.ach_deposit_id = returned.taken_by
union all
select
    spans.merchant_id,
    spans.batch_date,
    returned.return_date,
    spans.group_date,
    returned.currency,
    returned.amount_minor,
    returned.return_id,
    -- Whether no batch can lie between the return and the batch date.
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
