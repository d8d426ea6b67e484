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
-- means: A fee was listed for the date that names no deposit, or one that the
--   API does not know.
-- explanation: A fee of {actual} {currency} ({description}) listed on
--   {listed_on} names {named}.
-- action: Ask the processor which deposit the fee was taken from, or have it
--   credited.
-- grain: one fee line without a known deposit, or with one that could not be
--   looked up; one that is
-- open and could not be read again.
with
listing_dates as (
    select day as business_date from temp.judged_days
    union
    select substr(subject, 1, 10) from temp.carried
        where code = 'FEE_WITHOUT_DEPOSIT'
),
lines as (
    select
        fee.*,
        listing.business_date as listed_on,
        row_number() over (
            partition by
                listing.business_date, fee.merchant_id, fee.ach_deposit_id,
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
    from listing_dates
    cross join temp.complete_listing as listing
        on listing.resource = 'ach-deposit-fees'
        and listing.selector = 'date'
        and listing.business_date = listing_dates.business_date
        and listing.scope = ''
    inner join fee
        on fee.listing_id = listing.listing_id
            and fee.reading = listing.reading_id
),
named as (
    select
        lines.*,
        lines.listed_on || '/' || coalesce(lines.ach_deposit_id, '') || '/'
            || coalesce(lines.description, '') || '/'
                || coalesce(lines.amount_minor, '') || '/'
            || lines.ordinal_among_equals as subject
    from lines
)
select
    lines.merchant_id,
    lines.subject,
    merchants.currency,
    0 as expected,
    lines.amount_minor as actual,
    lines.ach_deposit_id,
    coalesce(lines.description, 'without a description') as description,
    lines.listed_on,
    case when lines.ach_deposit_id is null then 'no deposit'
        else 'deposit ' || lines.ach_deposit_id
            || ', which the API does not know'
    end as named,
    case
        when lines.ach_deposit_id is not null and lines.probed_records is null
            then 'deposit ' || lines.ach_deposit_id
                || ', named by a fee, could not be looked up'
        when lines.amount_minor is null
            then 'a fee listed on ' || lines.listed_on || ' has no amount'
    end as problem
from named as lines
inner join temp.merchants as merchants
    on merchants.merchant_id = lines.merchant_id and merchants.is_checked
where not lines.is_known
  -- For an earlier date only its open findings are tested, not its other fees.
  and (
      lines.listed_on in (select day from temp.judged_days)
      or lines.subject in
          (select subject from temp.carried where code = 'FEE_WITHOUT_DEPOSIT')
  )
union all
-- Open findings of a date whose fees could not be read again are not evaluated.
select
    carried.merchant_id,
    carried.subject,
    merchants.currency,
    0,
    null,
    cast(nullif(carried.ach_deposit_id, '') as integer),
    '',
    substr(carried.subject, 1, 10),
    '',
    'the fees listed on ' || substr(carried.subject, 1, 10)
        || ' were not read completely'
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
  )
order by subject
