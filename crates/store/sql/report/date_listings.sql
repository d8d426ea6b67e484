-- purpose: the listings that a date rests on: its own, those that it depends on
-- by date, the fees of its deposits, and the batches whose authorizations were
-- read again.
-- grain: one listing.

-- purpose: the listings that the date rests on by itself.
-- grain: one listing and reason.
create temp view own_listings as
select listing.listing_id
from temp.asof as asof
cross join listing
where listing.resource = 'ach-deposit-fees'
  and listing.selector = 'date'
  and listing.business_date = asof.business_date
union
select listing.listing_id
from temp.asof as asof
cross join listing
where listing.resource in ('bank-transfer-payments',
    'bank-transfer-refunds')
  and listing.selector in ('run', 'unsettled', 'returned')
  and listing.business_date = asof.business_date
union
select listing.listing_id
from temp.asof as asof
cross join business_day on business_day.business_date = asof.business_date
cross join reading on reading.session = business_day.session
cross join listing
    on listing.listing_id = reading.listing_id
    and listing.reading_id = reading.reading_id
where (listing.selector = 'batch' and reading.verdict <> 'reading')
  -- A reading by id is not a listing, and depends on records that other
  -- dates have brought; but a failed one is stated.
   or (listing.selector = 'id' and reading.verdict = 'incomplete')
union
-- The fees of the deposits that D looks at, and those of earlier deposits
-- of the groups that are paid on D.
select listing.listing_id
from temp.judged_deposits as deposit
cross join listing
where listing.resource = 'ach-deposit-fees'
  and listing.selector = 'deposit'
  and listing.business_date = ''
  and listing.scope = cast(deposit.ach_deposit_id as text)
union
select listing.listing_id
from temp.asof as asof
cross join temp.group_days as days
cross join deposit
    on deposit.merchant_id = days.merchant_id
    and deposit.association_date = days.batch_date
cross join listing
where days.is_paid_today
  and deposit.day <= asof.business_date
  and deposit.gone_in is null
  and listing.resource = 'ach-deposit-fees'
  and listing.selector = 'deposit'
  and listing.business_date = ''
  and listing.scope = cast(deposit.ach_deposit_id as text);

with
asof as (select * from temp.asof),
dates as (
    select business_date from asof
    union
    select batch_date from temp.looked_dates
),
first as (select min(business_date) as business_date from dates),
-- One branch for each way to find a listing: with `or` between them every
-- listing of every date would be searched.
wanted as (
    select listing.listing_id
    from asof
    cross join first
    cross join listing
    where listing.resource = 'ach-deposits'
      and listing.selector = 'date'
      and listing.business_date between first.business_date
          and asof.business_date
    union
    select listing.listing_id
    from dates
    cross join listing
    where listing.resource in ('batches', 'authorizations')
      and listing.selector = 'date'
      and listing.business_date = dates.business_date
    union
    select listing.listing_id
    from asof
    cross join dates
    cross join listing
    where asof.uses_links
      and listing.resource = 'transactions'
      and listing.selector = 'date'
      and listing.business_date = dates.business_date
    union
    select listing.listing_id
    from dates
    cross join listing
    where listing.resource in ('bank-transfer-payments',
        'bank-transfer-refunds')
      and listing.selector = 'settled'
      and listing.business_date = dates.business_date
    union
    select listing_id from temp.own_listings
)
select
    listing.resource,
    listing.selector,
    listing.scope,
    listing.business_date,
    reading.verdict,
    reading.pages,
    reading.records,
    reading.bytes,
    reading.digest,
    reading.error
from wanted
cross join listing on listing.listing_id = wanted.listing_id
cross join reading on reading.reading_id = listing.reading_id
order by listing.resource, listing.selector, listing.business_date,
    listing.scope
