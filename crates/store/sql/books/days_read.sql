-- purpose: the days since the start date whose items were all read.
-- grain: one merchant with a ledger and day.
with
asof as (select * from temp.asof),
authorizations as (
    select listing.business_date as day
    from asof
    cross join temp.complete_listing as listing
    where listing.resource = 'authorizations'
      and listing.selector = 'date'
      and listing.business_date between asof.start_date and asof.business_date
),
-- The few listings that are not complete, instead of the reading of each.
failed as materialized (
    select listing.listing_id, listing.resource, listing.selector,
        listing.scope, listing.business_date
    from reading indexed by reading_not_complete
    cross join listing on listing.listing_id = reading.listing_id
        and listing.reading_id = reading.reading_id
    -- The first condition finds them in the index, the second allows its use.
    where reading.verdict in ('reading', 'incomplete')
      and reading.verdict <> 'complete'
),
settled as (
    select
        terminal.merchant_id,
        listing.business_date as day,
        count(*) as listings
    from asof
    cross join listing
    inner join temp.configured_terminal as terminal
        on terminal.terminal_id = listing.scope
    where listing.selector = 'settled'
      and listing.listing_id not in (select listing_id from failed)
      and listing.resource
          in ('bank-transfer-payments', 'bank-transfer-refunds')
      and listing.business_date between asof.start_date and asof.business_date
    group by terminal.merchant_id, listing.business_date
),
-- A record may name a transfer that ran that day, and no other listing holds
-- it.
unread_runs as (
    select distinct terminal.merchant_id, listing.business_date as day
    from asof
    cross join failed as listing
    inner join temp.configured_terminal as terminal
        on terminal.terminal_id = listing.scope
    where listing.selector = 'run'
      and listing.resource
          in ('bank-transfer-payments', 'bank-transfer-refunds')
      and listing.business_date between asof.start_date and asof.business_date
)
select merchant.merchant_id, authorizations.day
from temp.book_merchant as merchant
cross join authorizations
left join settled
    on settled.merchant_id = merchant.merchant_id
        and settled.day = authorizations.day
where coalesce(settled.listings, 0) = 2 * (
    select count(*) from temp.configured_terminal as terminal
    where terminal.merchant_id = merchant.merchant_id
)
  and not exists (
    select 1 from unread_runs
    where unread_runs.merchant_id = merchant.merchant_id
      and unread_runs.day = authorizations.day
)
order by merchant.merchant_id, authorizations.day
