-- code: FEE_WITHOUT_DEPOSIT
-- severity: warning
-- figure: amount
-- money: more-is-short
-- subject: listing date, deposit named, description, amount, ordinal among
--   equals
-- names: nothing
-- needs: ach-deposit-fees
-- rereads: fee-day deposits
-- nameless: fee
-- means: A fee names a deposit that the API does not know; or it names none,
--   and neither a deposit nor a line of the bank has taken the fees of its
--   month by the fifth banking day of the next.
-- explanation: A fee of {actual} {currency} ({description}) listed on
--   {listed_on} names {named}.
-- description unknown: without a description
-- named stranger: deposit {ach_deposit_id}, which the API does not know
-- named none: no deposit
-- action: Ask the processor which deposit the fee was taken from, or have it
--   credited.
-- grain: one fee line without a known deposit, or with one that could not be
--   looked up; one that is open and could not be read again.

-- purpose: the fees of the judged dates, those of open findings, and those of
-- earlier months that name no deposit.
-- grain: one fee line.
create temp view listed_fees as
with
-- A fee that names no deposit may be billed by the month: for the earlier
-- months only these fees are looked at.
listing_dates as (
    select day as business_date, 0 as is_nameless from temp.judged_days
    union
    select substr(carried.subject, 1, 10), kind.is_nameless
    from temp.carried as carried
    cross join (select 0 as is_nameless union all select 1) as kind
    where carried.code = 'FEE_WITHOUT_DEPOSIT'
    union
    select listing.business_date, 1
    from temp.asof as asof
    cross join temp.complete_listing as listing
        on listing.resource = 'ach-deposit-fees'
        and listing.selector = 'date'
        and listing.business_date
            between date(asof.business_date, 'start of month', '-2 months')
                and date(asof.business_date, 'start of month', '-1 day')
        and listing.scope = ''
    where listing.business_date >= asof.start_date
),
listings as (
    select
        listing.listing_id,
        listing.reading_id,
        listing.business_date as listed_on,
        listing_dates.is_nameless
    from listing_dates
    cross join temp.complete_listing as listing
        on listing.resource = 'ach-deposit-fees'
        and listing.selector = 'date'
        and listing.business_date = listing_dates.business_date
        and listing.scope = ''
)
select fee.*, listings.listed_on
from listings
inner join fee
    on fee.listing_id = listings.listing_id
        and fee.reading = listings.reading_id
        and fee.ach_deposit_id is not null
where not listings.is_nameless
union all
select fee.*, listings.listed_on
from listings
cross join fee indexed by fee_without_deposit
    on fee.listing_id = listings.listing_id
        and fee.reading = listings.reading_id
        and fee.ach_deposit_id is null
where listings.is_nameless;

-- purpose: the same fees with their subjects.
-- grain: one fee line.
create temp view named_fees as
with
lines as (
    select
        fee.*,
        row_number() over (
            partition by
                fee.listed_on, fee.merchant_id, fee.ach_deposit_id,
                    fee.description,
                fee.amount_minor
            order by fee.ordinal
        ) as ordinal_among_equals,
        exists (
            select 1 from deposit
            where deposit.ach_deposit_id = fee.ach_deposit_id
                and deposit.gone_in is null
        ) as is_known,
        (
            select probe.records from temp.complete_listing as probe
            where probe.resource = 'ach-deposits'
              and probe.selector = 'id'
              and probe.business_date = ''
              and probe.scope = cast(fee.ach_deposit_id as text)
        ) as probed_records
    from temp.listed_fees as fee
)
select
    lines.*,
    lines.listed_on || '/' || coalesce(lines.ach_deposit_id, '') || '/'
        || coalesce(lines.description, '') || '/'
            || coalesce(lines.amount_minor, '') || '/'
        || lines.ordinal_among_equals as subject
from lines;

-- purpose: open findings of a date whose fees could not be read again: they are
-- not evaluated.
-- grain: one open finding.
create temp view unread_fees as
select
    carried.merchant_id,
    carried.subject,
    merchants.currency,
    0 as expected,
    null as actual,
    cast(nullif(carried.ach_deposit_id, '') as integer)
        as ach_deposit_id,
    null as description,
    substr(carried.subject, 1, 10) as listed_on,
    'none' as named,
    json_array('fee_day_unread', substr(carried.subject, 1, 10)) as problem
from temp.carried as carried
inner join temp.merchants as merchants
    on merchants.merchant_id = carried.merchant_id and merchants.is_checked
where carried.code = 'FEE_WITHOUT_DEPOSIT'
  and not exists (
      select 1 from temp.complete_listing as listing
      where listing.resource = 'ach-deposit-fees'
        and listing.selector = 'date'
        and listing.business_date = substr(carried.subject, 1, 10)
        and listing.scope = ''
  );

select
    lines.merchant_id,
    lines.subject,
    merchants.currency,
    0 as expected,
    lines.amount_minor as actual,
    lines.ach_deposit_id,
    lines.description,
    lines.listed_on,
    iif(lines.ach_deposit_id is null, 'none', 'stranger') as named,
    case
        when lines.ach_deposit_id is not null and lines.probed_records is null
            then json_array('deposit_not_found', lines.ach_deposit_id)
        when lines.amount_minor is null
            then json_array('listed_fee_without_amount', lines.listed_on)
    end as problem
from temp.named_fees as lines
inner join temp.merchants as merchants
    on merchants.merchant_id = lines.merchant_id and merchants.is_checked
cross join temp.asof as asof
where not lines.is_known
  and (
      lines.ach_deposit_id is not null
      or (
          due(
              date(lines.listed_on, 'start of month', '+1 month', '-1 day'), 5,
              merchants.calendar
          ) <= asof.business_date
          and not exists (
              select 1 from temp.monthly_fees as monthly
              where monthly.merchant_id = lines.merchant_id
                and monthly.first = date(lines.listed_on, 'start of month')
                and (monthly.taken_by is not null or monthly.is_at_bank)
          )
      )
  )
  -- For an earlier date only its open findings are tested, not its other fees.
  and (
      lines.ach_deposit_id is null
      or lines.listed_on in (select day from temp.judged_days)
      or lines.subject in
          (select subject from temp.carried where code = 'FEE_WITHOUT_DEPOSIT')
  )
union all
select merchant_id, subject, currency, expected, actual,
    ach_deposit_id, description, listed_on, named, problem
from temp.unread_fees
order by subject
