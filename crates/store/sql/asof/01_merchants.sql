-- purpose: terminals that are not configured and that a settled listing of a
-- configured one names. Their own bank transfers are never requested.
-- grain: one such terminal and the merchant of a listing that names it, with
-- the first date and bank transfer of it.
create temp table unnamed_terminals as
with recursive
asof as materialized (
    select business_date,
        date(business_date, '-' || lookback_days || ' days') as since
    from temp.asof
),
-- Steps from one terminal to the next in the index, since each has many
-- transfers.
every_terminal as (
    select '' as terminal_id
    union all
    select (
        select min(following.terminal_id) from bank_transfer as following
        where following.terminal_id > every_terminal.terminal_id
    )
    from every_terminal
    where every_terminal.terminal_id is not null
),
unnamed as (
    select
        every_terminal.terminal_id,
        -- An open finding keeps a terminal in sight beyond the look-back.
        every_terminal.terminal_id in (
            select carried.subject from temp.carried as carried
            where carried.code in (
                select code from temp.reopened_by where what = 'terminal'
            )
        ) as is_open
    from every_terminal
    where every_terminal.terminal_id <> ''
      and every_terminal.terminal_id not in
          (select terminal_id from temp.configured_terminal)
      and every_terminal.terminal_id not in
          (select terminal_id from temp.elsewhere_terminal)
)
select
    unnamed.terminal_id,
    asking.merchant_id,
    min(listing.business_date || transfer.kind || ' ' || transfer.transfer_id)
        as first_named
from unnamed
cross join asof
cross join bank_transfer as transfer
    on transfer.terminal_id = unnamed.terminal_id
cross join transfer_listed as listed
    on listed.transfer_number = transfer.transfer_number
cross join listing
    on listing.listing_id = listed.listing_id
    and listing.reading_id = listed.reading
cross join reading on reading.reading_id = listing.reading_id
inner join temp.configured_terminal as asking
    on asking.terminal_id = listing.scope
where (unnamed.is_open or coalesce(transfer.run_at >= asof.since, 1))
  and listing.selector = 'settled'
  and listing.resource in ('bank-transfer-payments', 'bank-transfer-refunds')
  and listing.business_date <= asof.business_date
  and reading.verdict = 'complete'
group by unnamed.terminal_id, asking.merchant_id;

-- purpose: every merchant that is configured or was ever listed, with the rules
-- that apply to it.
-- grain: one merchant.
-- inputs: temp.asof (one row), temp.configured_merchant,
-- temp.unnamed_terminals, merchant.
create temp table merchants as
select
    configured.merchant_id,
    coalesce(configured.name, merchant.doing_business_as, '') as name,
    configured.currency,
    configured.time_zone,
    configured.calendar,
    1 as is_checked,
    configured.names_terminals and unnamed.terminals is null
        as are_terminals_known,
    case
        when not configured.names_terminals
            then json_array('terminals_unset', configured.merchant_id)
        when unnamed.terminals is not null
            then json_array(
                'terminals_unknown', configured.merchant_id, unnamed.terminals
            )
    end as terminals_problem,
    iif(
        configured.names_terminals,
        json_array('add_terminals', configured.merchant_id),
        json_array('set_terminals', configured.merchant_id)
    ) as terminals_remedy,
    configured.payout_days,
    configured.settle_days,
    configured.window_days,
    configured.names_bank,
    configured.capture_tolerance_percent
from temp.configured_merchant as configured
left join merchant on merchant.merchant_id = configured.merchant_id
left join (
    select
        merchant_id,
        group_concat(terminal_id, ', ' order by terminal_id) as terminals
    from temp.unnamed_terminals
    group by merchant_id
) as unnamed on unnamed.merchant_id = configured.merchant_id;
-- A listed merchant that the configuration does not name.
insert into temp.merchants
select
    merchant.merchant_id,
    coalesce(merchant.doing_business_as, '') as name,
    null as currency,
    asof.time_zone,
    -- No calendar is configured: a merchant that trades in Canadian dollars
    -- uses Canada's.
    case
        when 'CAD' = (
            select batch.currency from batch
            where batch.merchant_id = merchant.merchant_id
              and batch.currency is not null
              and batch.day <= asof.business_date
            order by batch.day desc, batch.batch_id desc
            limit 1
        ) then 'canada'
        else asof.calendar
    end as calendar,
    -- When the configuration names merchants, the others are a finding and
    -- nothing more.
    not asof.names_merchants as is_checked,
    0 as are_terminals_known,
    json_array('terminals_unset', merchant.merchant_id) as terminals_problem,
    json_array('add_merchant', merchant.merchant_id) as terminals_remedy,
    asof.payout_days,
    asof.settle_days,
    asof.window_days,
    0 as names_bank,
    asof.capture_tolerance_percent
from merchant
cross join temp.asof as asof
where merchant.merchant_id not in
    (select merchant_id from temp.configured_merchant)
  -- A look-up by id can bring a record of another shard's merchant.
  and merchant.merchant_id not in
      (select merchant_id from temp.elsewhere_merchant);
create unique index temp.merchants_key on merchants (merchant_id);

-- purpose: the listings whose newest reading is complete.
-- grain: one listing.
create temp view complete_listing as
select
    listing.listing_id,
    listing.resource,
    listing.selector,
    listing.scope,
    listing.business_date,
    reading.reading_id,
    reading.records
from listing
inner join reading on reading.reading_id = listing.reading_id
where reading.verdict = 'complete';

-- purpose: the dates whose settled listing holds a bank transfer.
-- grain: one bank transfer and listing.
create temp view settled_listing as
select listed.transfer_number, listing.business_date
from transfer_listed as listed
cross join temp.complete_listing as listing
    on listing.listing_id = listed.listing_id
    and listing.reading_id = listed.reading
where listed.is_settled = 1;

-- purpose: the requested listings whose newest reading is not complete.
-- grain: one listing.
create temp view failed_listing as
select
    listing.listing_id,
    listing.resource,
    listing.selector,
    listing.scope,
    listing.business_date
from listing
inner join reading on reading.reading_id = listing.reading_id
where reading.verdict <> 'complete';

-- purpose: the dates whose own listings were read: the reconciled ones up to D,
-- those that were fetched along with D, and D. Records that were read as
-- dependencies of another date are no evidence for D: a run of D must give the
-- same result whether later dates were fetched before it or after it.
-- grain: one date.
create temp table known_days as
select day.business_date
from business_day as day
cross join temp.asof as asof
where day.reconciled and day.business_date < asof.business_date
union
select day from temp.read_along
union
select business_date from temp.asof;
create unique index temp.known_days_key on known_days (business_date);

-- purpose: the dates whose own records D judges: D, and the dates with a
-- reading that came too late for their own night. The first night that has read
-- everything since reports the records that a bad night missed.
-- grain: one date.
create temp table judged_days as
select business_date as day from temp.asof
union
select late.day
from temp.late_days as late
inner join temp.known_days as known on known.business_date = late.day
-- While a listing since then is missing, the date cannot be evaluated
-- completely.
where not exists (
    select 1
    from reading indexed by reading_not_complete
    cross join listing
        on listing.listing_id = reading.listing_id
            and listing.reading_id = reading.reading_id
    -- The first condition finds them in the index, the second allows its use.
    where reading.verdict in ('reading', 'incomplete')
      and reading.verdict <> 'complete'
      and listing.business_date
          between late.day and (select business_date from temp.asof)
      and listing.selector in ('date', 'settled', 'run')
      and listing.resource not in ('transactions', 'disputes')
);
create unique index temp.judged_days_key on judged_days (day);

-- purpose: the dates before the start that a deposit of a run up to D pays for,
-- so that the run has read the merchant's authorizations of them. Deposits of
-- other merchants for that date make no difference.
-- grain: one merchant and date before the start.
create temp table known_early_days as
select distinct deposit.merchant_id, deposit.association_date as business_date
from temp.asof as asof
inner join deposit on deposit.association_date < asof.start_date
where deposit.gone_in is null
  and deposit.merchant_id is not null
  and deposit.day in (select business_date from temp.known_days);
create unique index temp.known_early_days_key
    on known_early_days (merchant_id, business_date);
