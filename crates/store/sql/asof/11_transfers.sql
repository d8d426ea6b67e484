-- purpose: the days whose settled bank transfers of a merchant were not all
-- read.
-- grain: one merchant and day that was not read completely.
create temp table settled_unread as
with days as (
    select batch_date as day from temp.looked_dates
    union
    select day from temp.judged_days
)
select distinct terminal.merchant_id, days.day
from days
cross join temp.configured_terminal as terminal
where 2 > (
    select count(*) from temp.complete_listing as listing
    where listing.resource
        in ('bank-transfer-payments', 'bank-transfer-refunds')
      and listing.selector = 'settled'
      and listing.scope = terminal.terminal_id
      and listing.business_date = days.day
);

-- purpose: the bank transfers that the listings of D hold as unsettled or
-- returned.
-- grain: one bank transfer in one kind of listing.
create temp table listed_today as
select distinct listed.transfer_number, listing.selector
from temp.asof as asof
cross join temp.complete_listing as listing
cross join transfer_listed as listed
    on listed.listing_id = listing.listing_id
        and listed.reading = listing.reading_id
where listing.selector in ('unsettled', 'returned')
  and listing.resource in ('bank-transfer-payments', 'bank-transfer-refunds')
  and listing.business_date = asof.business_date;
create index temp.listed_today_key on listed_today (transfer_number, selector);

-- purpose: the statuses of bank transfers that the API publishes.
-- grain: one status.
create temp table transfer_status (
    status text not null primary key
) strict;
insert into temp.transfer_status (status) values
    ('ready'), ('pending'), ('complete'), ('declined'), ('reversal'),
        ('returned'), ('admin'),
    ('accepted'), ('referral'), ('pickup'), ('expired');

-- purpose: bank transfers that came back without a return date. The date kept
-- is when they were first read so: they may have come back on any day before
-- that.
-- grain: one bank transfer.
create temp table dateless_returns as
select undated.transfer_number, undated.came_back_on
from undated_return as undated
cross join bank_transfer as transfer
    on transfer.transfer_number = undated.transfer_number
where transfer.status = 'returned'
  and not (
      transfer.kind = 'payment'
      and exists (
          select 1 from transfer_return as returned
          where returned.payment_id = transfer.transfer_id
             -- The return itself can be listed like a payment.
             or returned.return_id = transfer.transfer_id
      )
  );

-- purpose: the dateless returns that were read so by D.
-- grain: one bank transfer.
create temp table undated_returns as
select undated.transfer_number, undated.came_back_on
from temp.asof as asof
cross join temp.dateless_returns as undated
where undated.came_back_on <= asof.business_date;
create unique index temp.undated_returns_key
    on undated_returns (transfer_number);

-- purpose: bank transfers that a settled listing first held after its date had
-- been reconciled.
-- grain: one bank transfer and such a listing.
create temp table late_settled as
select listed.transfer_number, listing.business_date as settled_day
from temp.asof as asof
cross join temp.complete_listing as listing
cross join reconciled_listing as base on base.listing_id = listing.listing_id
cross join transfer_listed as listed
    on listed.listing_id = listing.listing_id
        and listed.reading = listing.reading_id
where listing.selector = 'settled'
  and listing.resource in ('bank-transfer-payments', 'bank-transfer-refunds')
  and listing.business_date >= asof.restated_from
  and listing.business_date < asof.business_date
  and listed.first_reading > base.up_to_reading;
create index temp.late_settled_key on late_settled (transfer_number);

-- purpose: the bank transfers that D looks at: settled on a day that is looked
-- at or listed late, run on a day that is not due, has just fallen due or is
-- judged by D, unsettled or returned in the look-back, returned and not
-- handled, or named by an open finding.
-- grain: one bank transfer.
create temp table candidates (
    transfer_number integer not null primary key
) strict;
insert into temp.candidates
select listed.transfer_number
from temp.asof as asof
cross join temp.complete_listing as listing
inner join transfer_listed as listed
    on listed.listing_id = listing.listing_id
        and listed.reading = listing.reading_id
where listing.selector = 'settled'
  and listing.resource in ('bank-transfer-payments', 'bank-transfer-refunds')
  and listing.business_date in (select batch_date from temp.looked_dates
      union select day from temp.judged_days)
  and listing.business_date <= asof.business_date
union
select transfer.transfer_number
from (
    select run_window_start as first_day, business_date as last_day
        from temp.asof
    union all
    select judged.day, judged.day
    from temp.asof as asof
    inner join temp.judged_days as judged on judged.day < asof.run_window_start
) as windows
cross join temp.configured_terminal as terminal
cross join bank_transfer as transfer
    on transfer.terminal_id = terminal.terminal_id
-- A day wider on both sides: the run date is a local one.
where transfer.run_at >= date(windows.first_day, '-1 day')
  and transfer.run_at < date(windows.last_day, '+2 days')
union
select transfer.transfer_number
from temp.asof as asof
cross join temp.configured_terminal as terminal
cross join bank_transfer as transfer
    on transfer.terminal_id = terminal.terminal_id
where transfer.run_at >= date(asof.pending_window_start, '-1 day')
  and transfer.run_at < date(asof.run_window_start, '+2 days')
  and transfer.status in ('pending', 'accepted')
union
select transfer_number from temp.listed_today
union
select transfer_number from temp.late_settled
union
select timeless.transfer_number
from temp.asof as asof
cross join timeless_transfer as timeless
    on timeless.ran_on between asof.pending_window_start and asof.business_date
union
select transfer_number from temp.undated_returns
union
-- A return that was seen stays under watch until it is handled, however old.
select payment.transfer_number
from temp.asof as asof
cross join transfer_return as returned indexed by transfer_return_open
cross join bank_transfer as payment
    on payment.transfer_id = returned.payment_id and payment.kind = 'payment'
where returned.represented <> 1
  and returned.closed = 0
  and returned.effect = 1
  and returned.return_date <= asof.business_date
union
select transfer.transfer_number
from temp.carried as carried
cross join bank_transfer as transfer
    on transfer.transfer_id = carried.payment_id and transfer.kind = 'payment'
union
select transfer.transfer_number
from temp.carried as carried
cross join bank_transfer as transfer
    on transfer.transfer_id = carried.refund_id and transfer.kind = 'refund';

-- purpose: the earliest settled listing that holds each transfer.
-- grain: one bank transfer that has settled, on or before D.
create temp table settled_days (
    transfer_number integer not null primary key,
    settled_day text not null
) strict;
insert into temp.settled_days
select candidates.transfer_number, min(listing.business_date)
from temp.candidates as candidates
cross join temp.asof as asof
cross join transfer_listed as named
    on named.transfer_number = candidates.transfer_number
        and named.is_settled = 1
cross join listing on listing.listing_id = named.listing_id
cross join reading on reading.reading_id = listing.reading_id
cross join transfer_listed as listed
    on listed.listing_id = named.listing_id
    and listed.transfer_number = named.transfer_number
where listing.business_date <= asof.business_date
  and reading.verdict = 'complete'
  and listed.reading = reading.reading_id
group by candidates.transfer_number;

-- purpose: the later settled listings up to D that hold the same transfers.
-- grain: one bank transfer and one further date.
create temp table settled_again as
select distinct settled_days.transfer_number, listing.business_date
    as settled_day
from temp.asof as asof
cross join temp.settled_days as settled_days
cross join transfer_listed as listed
    on listed.transfer_number = settled_days.transfer_number
cross join temp.complete_listing as listing
    on listing.listing_id = listed.listing_id
        and listing.reading_id = listed.reading
where listing.selector = 'settled'
  and listing.business_date > settled_days.settled_day
  and listing.business_date <= asof.business_date;
create index temp.settled_again_key on settled_again (transfer_number);

-- purpose: the bank transfers that D can need. Adds the local date, which is
-- used many times and computed once: limit -1 (no limit) keeps SQLite from
-- merging this query into those below, and rows are handed over one by one.
-- grain: one bank transfer of a configured terminal.
create temp view read_transfers as
select
    transfer.transfer_number,
    transfer.kind,
    transfer.transfer_id,
    terminal.merchant_id,
    transfer.terminal_id,
    transfer.order_id,
    transfer.amount_minor,
    transfer.currency,
    transfer.transfer_type,
    transfer.status,
    transfer.payment_id,
    transfer.representment_id,
    transfer.account_last4,
    transfer.reading,
    merchants.calendar,
    merchants.settle_days,
    local_date(transfer.run_at, merchants.time_zone) as stated_date,
    timeless.ran_on
from temp.candidates as candidates
cross join bank_transfer as transfer
    on transfer.transfer_number = candidates.transfer_number
inner join temp.configured_terminal as terminal
    on terminal.terminal_id = transfer.terminal_id
inner join temp.merchants as merchants
    on merchants.merchant_id = terminal.merchant_id
left join timeless_transfer as timeless
    on timeless.transfer_number = candidates.transfer_number
limit -1;

-- purpose: the same with the status as of D.
-- grain: one bank transfer of a configured terminal.
create temp view stated_transfers as
select
    transfer.*,
    coalesce(transfer.stated_date, transfer.ran_on) as run_date,
    -- A status returned does not count as of D when every return is dated after
    -- D, or undone by D.
    case
        when transfer.status = 'returned'
            and exists (
                select 1 from undated_return as undated
                where undated.transfer_number = transfer.transfer_number
                  and undated.came_back_on > asof.business_date
            )
            and not exists (
                select 1 from transfer_return as returned
                where returned.payment_id = transfer.transfer_id
                    and transfer.kind = 'payment'
            )
            then 'complete'
        when transfer.status = 'returned'
            and exists (
                select 1 from transfer_return as returned
                where returned.payment_id = transfer.transfer_id
                    and transfer.kind = 'payment'
            )
            and not exists (
                select 1 from transfer_return as returned
                where returned.payment_id = transfer.transfer_id
                  and returned.return_date <= asof.business_date
                  and returned.effect = 1
                  and (
                      returned.undone_on is null
                      or returned.undone_on > asof.business_date
                  )
            )
            then 'complete'
        else transfer.status
    end as status_asof
from temp.read_transfers as transfer
cross join temp.asof as asof;

-- purpose: the bank transfers as of D.
-- grain: one bank transfer of a configured terminal.
create temp table transfers as
with asof as materialized (
    select *,
        date(business_date, '-' || lookback_days || ' days') as sight_start
        from temp.asof
)
select
    transfer.transfer_number,
    transfer.kind,
    transfer.transfer_id,
    transfer.merchant_id,
    transfer.terminal_id,
    transfer.order_id,
    transfer.amount_minor,
    transfer.currency,
    transfer.transfer_type,
    transfer.status_asof as status,
    transfer.payment_id,
    transfer.representment_id,
    transfer.account_last4,
    transfer.run_date,
    transfer.stated_date is null as is_timeless,
    -- A transfer that awaits an answer may settle a week later.
    due(
        transfer.run_date,
        transfer.settle_days + case
            when transfer.status in ('pending', 'accepted')
            then 5 else 0 end,
        transfer.calendar
    ) as due_date,
    settled_days.settled_day,
    -- The date to state for it. A listing from before the start may have been
    -- read for another date of the run or not, so its date counts only on a
    -- known day.
    case
        when settled_days.settled_day
            in (select business_date from temp.known_days)
            then settled_days.settled_day
        else coalesce(transfer.stated_date, settled_days.settled_day)
    end as told_day,
    -- Looked up in the few listings of D: the listings of every night hold the
    -- transfer.
    listed.transfer_number is not null as is_listed_unsettled,
    -- The look-back counts from the run date; an open finding keeps a transfer
    -- in sight beyond it.
    coalesce(transfer.run_date >= asof.sight_start, 1)
    or transfer.transfer_id in
        (select payment_id || refund_id from temp.carried)
        as is_in_sight,
    -- A listed payment that is itself a return is not a payment, and no item.
    transfer.kind = 'payment' and exists (
        select 1 from transfer_return as returned
        where returned.return_id = transfer.transfer_id
    ) as is_return
from temp.stated_transfers as transfer
cross join asof
left join temp.settled_days as settled_days
    on settled_days.transfer_number = transfer.transfer_number
left join temp.listed_today as listed
    on listed.transfer_number = transfer.transfer_number
    and listed.selector = 'unsettled'
-- A transfer that the API no longer knows by its id is gone, like a record that
-- is missing from its listing.
where not exists (
    select 1 from transfer_lookup as lookup
    where lookup.transfer_id = transfer.transfer_id
      and lookup.kind = transfer.kind
      and lookup.reading_id > transfer.reading
);
create unique index temp.transfers_key on transfers (transfer_id, kind);

-- purpose: payments and refunds that have not settled as of D, and whether that
-- is certain.
-- grain: one bank transfer that is expected to settle.
create temp table unsettled as
select
    transfers.*,
    -- Certain when the newest reading lists it as unsettled, or when every
    -- settled listing from its run date to D is complete and none holds it.
    transfers.is_listed_unsettled or (
        select count(*) from temp.complete_listing as listing
        where listing.resource = 'bank-transfer-' || transfers.kind || 's'
          and listing.selector = 'settled'
          and listing.scope = transfers.terminal_id
          and listing.business_date
              between transfers.run_date and asof.business_date
          and listing.business_date in
              (select business_date from temp.known_days)
    ) = julianday(asof.business_date) - julianday(transfers.run_date) + 1
        as is_certain
from temp.transfers as transfers
cross join temp.asof as asof
where transfers.settled_day is null
  and not transfers.is_return
  and transfers.run_date is not null
  and transfers.run_date <= asof.business_date
  -- One without a time may have settled before it was first read.
  and (transfers.is_listed_unsettled or not transfers.is_timeless)
  and transfers.is_in_sight
  and transfers.status in ('ready', 'pending', 'accepted', 'complete')
  and (
      (transfers.kind = 'payment' and transfers.transfer_type = 'payment')
      or (
          transfers.kind = 'refund'
          and transfers.transfer_type in ('refund', 'unreferencedRefund')
      )
  );

-- purpose: bank transfers that no settled listing up to D holds and whose
-- settlement cannot be predicted: under review, or with a status or type that
-- is not published.
-- grain: one bank transfer; problem is null for one under review, which is not
-- an error.
create temp table undecided as
select
    transfers.*,
    case
        when transfers.status not in (select status from temp.transfer_status)
            then json_array('unpublished_status', transfers.kind,
                transfers.transfer_id, transfers.status)
        when transfers.transfer_type not in (
            'payment', 'refund', 'unreferencedRefund', 'accountVerification'
        )
            then json_array('unpublished_type', transfers.kind,
                transfers.transfer_id, transfers.transfer_type)
    end as problem
from temp.transfers as transfers
cross join temp.asof as asof
where transfers.settled_day is null
  and not transfers.is_return
  and transfers.is_in_sight
  and transfers.transfer_type <> 'accountVerification'
  and transfers.run_date <= asof.business_date
  and (
      transfers.status = 'admin'
      or transfers.status not in (select status from temp.transfer_status)
      or (
          transfers.status in ('ready', 'pending', 'accepted', 'complete')
          and transfers.transfer_type not
              in ('payment', 'refund', 'unreferencedRefund')
      )
  );

-- purpose: the bank transfers that should have settled by D, and those for
-- which that cannot be evaluated.
-- grain: one bank transfer.
create temp view overdue_transfers as
select
    transfer.kind,
    transfer.merchant_id,
    transfer.transfer_id as subject,
    transfer.currency,
    transfer.amount_minor as expected,
    0 as actual,
    transfer.run_date as batch_date,
    transfer.order_id,
    transfer.status,
    transfer.due_date,
    transfer.is_certain,
    case
        -- A transfer beyond the look-back cannot become certain; it stays open
        -- without a problem.
        when not transfer.is_certain
            and transfer.run_date
                >= date(asof.business_date, '-' || asof.lookback_days
                    || ' days')
            then json_array(
                'terminal_unread', transfer.terminal_id, transfer.run_date
            )
        when transfer.amount_minor is null or transfer.currency is null
            then json_array('transfer_without_amount', transfer.kind,
                transfer.transfer_id)
    end as problem
from temp.unsettled as transfer
cross join temp.asof as asof
where transfer.due_date <= asof.business_date
union all
-- A value that the API does not publish, or leaves out, cannot be evaluated and
-- is always reported.
select
    transfer.kind,
    transfer.merchant_id,
    transfer.transfer_id,
    transfer.currency,
    transfer.amount_minor,
    0,
    transfer.run_date,
    transfer.order_id,
    transfer.status,
    transfer.due_date,
    1,
    transfer.problem
from temp.undecided as transfer
where transfer.problem is not null;

-- purpose: settled bank transfers of each merchant-day that count as items. One
-- that stands in the settled listings of two dates counts in the batches of
-- both.
-- grain: one merchant, day and currency.
create temp table transfer_totals as
with settled as (
    select merchant_id, settled_day, kind, amount_minor, currency,
        transfer_type, is_return
    from temp.transfers
    where settled_day is not null
    union all
    select
        transfers.merchant_id,
        again.settled_day,
        transfers.kind,
        transfers.amount_minor,
        transfers.currency,
        transfers.transfer_type,
        transfers.is_return
    from temp.settled_again as again
    inner join temp.transfers as transfers
        on transfers.transfer_number = again.transfer_number
)
select
    transfers.merchant_id,
    transfers.settled_day as batch_date,
    transfers.currency,
    count(*) as items,
    case
        when sum(transfers.kind = 'payment' and transfers.amount_minor is null)
        = 0
        then coalesce(sum(case when transfers.kind = 'payment'
            then transfers.amount_minor end), 0) end as sales_minor,
    case
        when sum(transfers.kind = 'refund' and transfers.amount_minor is null)
        = 0
        then coalesce(sum(case when transfers.kind = 'refund'
            then transfers.amount_minor end), 0) end as returns_minor
from settled as transfers
where not transfers.is_return
  and transfers.transfer_type <> 'accountVerification'
group by transfers.merchant_id, transfers.settled_day, transfers.currency;
