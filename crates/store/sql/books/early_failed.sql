-- purpose: the days before the start date with a requested listing of items
-- that was not read completely, or that a deposit may pay for without it being
-- known: a record of the first days could be paired with an item of these days.
-- grain: one merchant with a ledger and day.
with recursive
asof as (
    select *, date(start_date, '-' || lookback_days || ' days') as first_day
    from temp.asof
),
-- Every day before the start, where the deposits of a day that can pay for it
-- were not read.
unpaid as (
    select date(asof.start_date, '-1 day') as day, asof.first_day
    from asof
    where exists (
        select 1 from temp.failed_listing as listing
        where listing.resource = 'ach-deposits'
          and listing.selector = 'date'
          and listing.business_date between asof.start_date
              and asof.business_date
          and listing.business_date
              <= date(asof.start_date, '+' || asof.lookback_days || ' days')
    )
    union all
    select date(unpaid.day, '-1 day'), unpaid.first_day
    from unpaid
    where unpaid.day > unpaid.first_day
),
authorizations as (
    select distinct listing.business_date as day
    from asof
    cross join temp.failed_listing as listing
    where listing.resource = 'authorizations'
      and listing.selector = 'date'
      and listing.business_date >= asof.first_day
      and listing.business_date < asof.start_date
),
settled as (
    select distinct terminal.merchant_id, listing.business_date as day
    from asof
    cross join temp.failed_listing as listing
    inner join temp.configured_terminal as terminal
        on terminal.terminal_id = listing.scope
    where listing.selector = 'settled'
      and listing.resource
          in ('bank-transfer-payments', 'bank-transfer-refunds')
      and listing.business_date >= asof.first_day
      and listing.business_date < asof.start_date
)
select merchant.merchant_id, authorizations.day
from temp.book_merchant as merchant
cross join authorizations
union
-- A deposit that was read later than its own night did can pay for a day that
-- was never requested.
select merchant.merchant_id, early.business_date as day
from temp.book_merchant as merchant
inner join temp.known_early_days as early
    on early.merchant_id = merchant.merchant_id
where not exists (
    select 1 from temp.complete_listing as listing
    where listing.resource = 'authorizations'
      and listing.selector = 'date'
      and listing.business_date = early.business_date
)
union
select merchant.merchant_id, unpaid.day
from temp.book_merchant as merchant
cross join unpaid
union
select merchant.merchant_id, settled.day
from temp.book_merchant as merchant
inner join settled on settled.merchant_id = merchant.merchant_id
order by 1, 2
