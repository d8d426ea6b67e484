-- purpose: the merchants whose books are matched; filled in by the program.
-- grain: one merchant that names a ledger.
create temp table ledger_merchant (
    merchant_id text not null primary key
) strict;

-- purpose: the merchants whose books are being read; filled in by the program.
-- grain: one merchant.
create temp table book_merchant (
    merchant_id text not null primary key,
    -- Records dated before the start date count from this day on.
    early_day text not null
) strict;

-- purpose: the bank transfers that are known as of D, the days on which they
-- settled, and those that are wanted by their ids; filled in by the program.
-- grain: one bank transfer.
create temp table book_transfer (
    transfer_number integer not null primary key,
    is_listed integer not null,
    settled_day text
) strict;
create temp table book_wanted (
    transfer_id text not null primary key
) strict;

-- purpose: the listings that readings have changed since the books were
-- matched; filled in by the program.
-- grain: one listing.
create temp table touched_listing (
    resource text not null,
    selector text not null,
    scope text not null,
    business_date text not null,
    -- 1 when both its newest reading and the one before are complete.
    is_whole integer not null
) strict;

-- purpose: the days before the start date that are known as of D: a deposit
-- paid since the start date pays for them, so that runs in any order have read
-- them.
-- grain: one merchant and day before the start date.
create temp table paid_days_before_start as
select distinct deposit.merchant_id, deposit.association_date as day
from temp.asof as asof
inner join deposit on deposit.day between asof.start_date and asof.business_date
where deposit.association_date < asof.start_date
  and deposit.merchant_id is not null
  and deposit.gone_in is null;

-- purpose: the complete listings up to D that prove that a bank transfer of the
-- books settled.
-- grain: one listing of a terminal.
create temp view settling_listing as
select
    listing.listing_id,
    listing.reading_id,
    listing.selector,
    listing.business_date
from temp.complete_listing as listing
cross join temp.asof as asof
inner join temp.configured_terminal as terminal
    on terminal.terminal_id = listing.scope
where listing.business_date <= asof.business_date
  and (
      listing.business_date >= asof.start_date
      or (terminal.merchant_id, listing.business_date)
          in (select merchant_id, day from temp.paid_days_before_start)
      or listing.business_date >= (
          select own.early_day from temp.book_merchant as own
          where own.merchant_id = terminal.merchant_id
      )
  );
