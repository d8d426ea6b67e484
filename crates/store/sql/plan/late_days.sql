-- purpose: the days with a listing that was missing when they were judged and
-- has been read since, while no date since then has reported its records; a
-- date reports them when, by the time it is judged, everything from that day to
-- itself was read. Unsettled and returned transfers are listed as of a day, and
-- the listing of the date itself replaces earlier ones. A listing without a day
-- of its own, such as the fees of a deposit, belongs to the day of its record,
-- or else to the date that requested it; so does a listing of a day before the
-- first.
-- grain: one day.
-- parameters: ?1, the date; ?2, the latest earlier reconciled one; ?3, the
-- first day.

-- purpose: the listings that a night missed, with the reading that came too
-- late, if there was one. A confirming reading of a batch has none: it is read
-- again only when the batch is re-evaluated.
-- grain: one incomplete reading.
create temp view missed_reading as
select
    reading.reading_id,
    listing.resource,
    listing.selector,
    listing.scope,
    listing.business_date,
    asked.business_date as asked_on,
    case
        when listing.resource = 'batches' and listing.selector = 'id'
            or listing.selector = 'batch' then (
            select batch.day from batch
            where batch.batch_id = cast(listing.scope as integer)
        )
        when listing.resource = 'ach-deposits' and listing.selector = 'id'
            or listing.selector = 'deposit' then (
            select deposit.day from deposit
            where deposit.ach_deposit_id = cast(listing.scope as integer)
        )
        when listing.resource = 'authorizations' and listing.selector = 'id'
            then (
            select item.day from authorization as item
            where item.authorization_id = cast(listing.scope as integer)
        )
        else listing.business_date
    end as day,
    (
        select min(later.reading_id) from reading as later
        where later.listing_id = listing.listing_id
          and later.verdict = 'complete'
          and later.reading_id > reading.reading_id
    ) as completed_in
-- Use their index: incomplete readings are few, the readings of all nights
-- many.
from reading indexed by reading_not_complete
cross join listing on listing.listing_id = reading.listing_id
-- A session below zero is shared by the dates of a run and filed under the
-- first.
cross join fetch_session as asked on asked.session = abs(reading.session)
-- The first condition finds them in the index, the second allows its use.
where reading.verdict in ('reading', 'incomplete')
  and reading.verdict <> 'complete'
  -- A look-back that failed left the listing unchanged.
  and reading.fallback_reading is null
  -- A night that could evaluate everything without the listing missed nothing.
  and not exists (
      select 1 from business_day as night
      where night.business_date = asked.business_date
        and reading.session > 0
        and night.is_complete
        and night.read_up_to >= reading.reading_id
  );

with
earlier as (
    select business_date, read_up_to from business_day
    where reconciled and business_date between ?3 and ?2
),
seen as (select max(read_up_to) as up_to from earlier),
readings as materialized (
    select
        missed.*,
        case when missed.day between ?3 and ?2 then missed.day
            else missed.asked_on end as late_day
    from seen
    cross join temp.missed_reading as missed
        on missed.reading_id <= seen.up_to
    -- An earlier date did not miss a listing that a later date requested.
    where missed.asked_on <= ?2
),
late as (
    select
        readings.late_day,
        case
            when readings.selector in ('unsettled', 'returned')
                then readings.business_date
            when readings.selector = 'batch' then readings.asked_on
            else ''
        end as told_after,
        coalesce(readings.completed_in, 0) as completed_in
    from readings
    where readings.completed_in is not null
       or readings.selector = 'batch'
       or (
           readings.selector in ('unsettled', 'returned')
           and exists (
               select 1 from listing as today
               cross join reading as newest
                   on newest.reading_id = today.reading_id
               where today.resource = readings.resource
                 and today.selector = readings.selector
                 and today.business_date = ?1
                 and today.scope = readings.scope
                 and newest.verdict = 'complete'
           )
       )
)
select distinct late.late_day as day
from late
where late.late_day between ?3 and ?2
  and not exists (
      select 1 from earlier
      where earlier.business_date >= late.late_day
        and earlier.business_date > late.told_after
        and earlier.read_up_to >= late.completed_in
        and not exists (
            select 1 from readings as gap
            where gap.business_date between late.late_day
                and earlier.business_date
              and (
                  gap.selector in ('date', 'settled', 'run')
                  or (
                      gap.selector in ('unsettled', 'returned')
                      and gap.business_date = earlier.business_date
                  )
              )
              -- A key without /transactions misses nothing.
              and gap.resource not in ('transactions', 'disputes')
              and gap.reading_id <= earlier.read_up_to
              and coalesce(gap.completed_in > earlier.read_up_to, 1)
        )
  )
order by 1
