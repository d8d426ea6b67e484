-- purpose: a merchant's settled bank transfers of a day, unless they were not all read.
-- grain: one merchant and day that was not read completely.
create temp table settled_unread as
with days as (
    select batch_date as day from temp.group_days
    union
    select day from temp.judged_days
)
select distinct terminal.merchant_id, days.day
from days
cross join temp.configured_terminal as terminal
where 2 > (
    select count(*) from temp.complete_listing as listing
    where listing.resource in ('bank-transfer-payments', 'bank-transfer-refunds')
      and listing.selector = 'settled'
      and listing.scope = terminal.terminal_id
      and listing.business_date = days.day
);

-- purpose: the bank transfers that the listings of D hold as unsettled or returned.
-- grain: one bank transfer in one kind of listing.
create temp table listed_today as
select distinct listed.transfer_number, listing.selector
from temp.asof as asof
cross join temp.complete_listing as listing
cross join transfer_listed as listed
    on listed.listing_id = listing.listing_id and listed.reading = listing.reading_id
where listing.selector in ('unsettled', 'returned')
  and listing.resource in ('bank-transfer-payments', 'bank-transfer-refunds')
  and listing.business_date = asof.business_date;
create index temp.listed_today_key on listed_today (transfer_number, selector);

-- purpose: the bank transfers that D looks at: settled on a day that is looked at, run in the days
-- that are not due or just fell due or that D judges, unsettled or returned in the look-back, named by
-- something open.
-- grain: one bank transfer.
create temp table candidates (
    transfer_number integer not null primary key
) strict;
insert into temp.candidates
select listed.transfer_number
from temp.asof as asof
cross join temp.complete_listing as listing
inner join transfer_listed as listed
    on listed.listing_id = listing.listing_id and listed.reading = listing.reading_id
where listing.selector = 'settled'
  and listing.resource in ('bank-transfer-payments', 'bank-transfer-refunds')
  and listing.business_date in (select batch_date from temp.group_days
      union select day from temp.judged_days)
  and listing.business_date <= asof.business_date
union
select transfer.transfer_number
from (
    select run_window_start as first_day, business_date as last_day from temp.asof
    union all
    select judged.day, judged.day
    from temp.asof as asof
    inner join temp.judged_days as judged on judged.day < asof.run_window_start
) as windows
cross join temp.configured_terminal as terminal
cross join bank_transfer as transfer on transfer.terminal_id = terminal.terminal_id
-- A day wider on both sides: the run date is a local one.
where transfer.run_at >= date(windows.first_day, '-1 day')
  and transfer.run_at < date(windows.last_day, '+2 days')
union
select transfer_number from temp.listed_today
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

-- purpose: the earliest settled listing that holds each. By the index alone first: of the listings
-- of every night that hold it few are settled ones.
-- grain: one bank transfer that has settled, on or before D.
create temp table settled_days (
    transfer_number integer not null primary key,
    settled_day text not null
) strict;
insert into temp.settled_days
select candidates.transfer_number, min(listing.business_date)
from temp.candidates as candidates
cross join temp.asof as asof
cross join transfer_listed as named on named.transfer_number = candidates.transfer_number
cross join listing on listing.listing_id = named.listing_id
cross join reading on reading.reading_id = listing.reading_id
cross join transfer_listed as listed
    on listed.listing_id = named.listing_id
    and listed.transfer_number = named.transfer_number
where listing.selector = 'settled'
  and listing.business_date <= asof.business_date
  and reading.verdict = 'complete'
  and listed.reading = reading.reading_id
group by candidates.transfer_number;

-- purpose: what they say, as of D.
-- grain: one bank transfer of a configured terminal.
create temp table transfers as
with
asof as materialized (
    select *, date(business_date, '-' || lookback_days || ' days') as sight_start from temp.asof
),
-- With the local date, which is asked for many times and worked out once: because of the limit,
-- which is none, what stands below is not copied here, and handed over row by row.
transfers as (
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
        local_date(transfer.run_at, merchants.time_zone) as run_date
    from temp.candidates as candidates
    cross join bank_transfer as transfer
        on transfer.transfer_number = candidates.transfer_number
    inner join temp.configured_terminal as terminal
        on terminal.terminal_id = transfer.terminal_id
    inner join temp.merchants as merchants
        on merchants.merchant_id = terminal.merchant_id
    limit -1
)
select
    transfer.kind,
    transfer.transfer_id,
    transfer.merchant_id,
    transfer.terminal_id,
    transfer.order_id,
    transfer.amount_minor,
    transfer.currency,
    transfer.transfer_type,
    -- A status returned whose returns are all dated after D is not known yet as of D.
    case
        when transfer.status = 'returned'
            and exists (
                select 1 from transfer_return as returned
                where returned.payment_id = transfer.transfer_id and transfer.kind = 'payment'
            )
            and not exists (
                select 1 from transfer_return as returned
                where returned.payment_id = transfer.transfer_id
                  and returned.return_date <= asof.business_date
            )
            then 'complete'
        else transfer.status
    end as status,
    transfer.payment_id,
    transfer.representment_id,
    transfer.account_last4,
    transfer.run_date,
    due(transfer.run_date, asof.settle_days, transfer.calendar) as due_date,
    settled_days.settled_day,
    -- Asked of the few listings of D: a transfer stands in those of every night.
    listed.transfer_number is not null as is_listed_unsettled,
    -- The look-back counts from the run date; what is open stays in sight beyond it.
    coalesce(transfer.run_date >= asof.sight_start, 1)
    or transfer.transfer_id in (select payment_id || refund_id from temp.carried)
        as is_in_sight,
    -- A listed payment that is itself a return is not a payment, and no item.
    transfer.kind = 'payment' and exists (
        select 1 from transfer_return as returned
        where returned.return_id = transfer.transfer_id
    ) as is_return
from transfers as transfer
cross join asof
left join temp.settled_days as settled_days
    on settled_days.transfer_number = transfer.transfer_number
left join temp.listed_today as listed
    on listed.transfer_number = transfer.transfer_number
    and listed.selector = 'unsettled'
-- One that the API no longer knows by its id is gone, as a record is that its listing lost.
where not exists (
    select 1 from transfer_lookup as lookup
    where lookup.transfer_id = transfer.transfer_id
      and lookup.kind = transfer.kind
      and lookup.reading_id > transfer.reading
);
create unique index temp.transfers_key on transfers (transfer_id, kind);

-- purpose: payments and refunds that have not settled as of D, and whether that is certain.
-- grain: one bank transfer that is expected to settle.
create temp table unsettled as
select
    transfers.*,
    -- Certain when the newest reading lists it as unsettled, or when every settled listing
    -- from its run date to D is complete and none holds it.
    transfers.is_listed_unsettled or (
        select count(*) from temp.complete_listing as listing
        where listing.resource = 'bank-transfer-' || transfers.kind || 's'
          and listing.selector = 'settled'
          and listing.scope = transfers.terminal_id
          and listing.business_date between transfers.run_date and asof.business_date
          and listing.business_date in (select business_date from temp.known_days)
    ) = julianday(asof.business_date) - julianday(transfers.run_date) + 1 as is_certain
from temp.transfers as transfers
cross join temp.asof as asof
where transfers.settled_day is null
  and not transfers.is_return
  and transfers.run_date is not null
  and transfers.run_date <= asof.business_date
  and transfers.is_in_sight
  and transfers.status in ('ready', 'pending', 'complete')
  and (
      (transfers.kind = 'payment' and transfers.transfer_type = 'payment')
      or (transfers.kind = 'refund' and transfers.transfer_type <> 'accountVerification')
  );

-- purpose: settled bank transfers of each merchant-day that count as items.
-- grain: one merchant, day and currency.
create temp table transfer_totals as
select
    transfers.merchant_id,
    transfers.settled_day as batch_date,
    transfers.currency,
    count(*) as items,
    case when sum(transfers.kind = 'payment' and transfers.amount_minor is null) = 0
        then coalesce(sum(case when transfers.kind = 'payment'
            then transfers.amount_minor end), 0) end as sales_minor,
    case when sum(transfers.kind = 'refund' and transfers.amount_minor is null) = 0
        then coalesce(sum(case when transfers.kind = 'refund'
            then transfers.amount_minor end), 0) end as returns_minor
from temp.transfers as transfers
where transfers.settled_day is not null
  and not transfers.is_return
  and transfers.transfer_type <> 'accountVerification'
group by transfers.merchant_id, transfers.settled_day, transfers.currency;
