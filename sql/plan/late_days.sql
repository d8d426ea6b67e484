-- purpose: the days of which something was read too late: not completely by the time the latest
-- earlier date was judged that could read all of its own, and completely since. Such a date has told
-- whatever was read by then; one that missed something of its own may have told nothing of it.
-- What is unsettled or returned is asked for as of a day, and that of the date itself takes its
-- place. What has no day of its own, as the fees of a deposit, is of its record's day, or else of
-- the one for which it was asked; so is what is of a day before the first.
-- grain: one day.
-- parameters: :date the date; :previous the latest earlier reconciled one; :from the first day.
with
earlier as (
    select business_date, session, read_up_to from business_day
    where reconciled and business_date between :from and :previous
),
seen as (select max(read_up_to) as up_to from earlier),
missed as (
    select
        reading.reading_id,
        reading.session,
        listing.listing_id,
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
            when listing.resource = 'authorizations' and listing.selector = 'id' then (
                select item.day from authorization as item
                where item.authorization_id = cast(listing.scope as integer)
            )
            else listing.business_date
        end as day
    from seen
    -- Few are: by their index, since the readings of all nights are many.
    cross join reading indexed by reading_not_complete
    cross join listing on listing.listing_id = reading.listing_id
    -- A session below zero is shared by the dates of a run, and goes by its first one.
    left join fetch_session as asked on asked.session = abs(reading.session)
    -- The first finds them in the index, the second says that it may be used.
    where reading.verdict in ('reading', 'incomplete')
      and reading.verdict <> 'complete'
      and reading.reading_id <= seen.up_to
      -- A look at the past that failed left the listing what it was.
      and reading.fallback_reading is null
),
whole as (
    select earlier.business_date, earlier.read_up_to
    from earlier
    where not exists (
        select 1 from missed
        where missed.session = earlier.session
          and missed.business_date = earlier.business_date
          -- A key that has no /transactions misses nothing.
          and missed.resource <> 'transactions'
          and not exists (
              select 1 from reading as later
              where later.listing_id = missed.listing_id
                and later.verdict = 'complete'
                and later.reading_id between missed.reading_id and earlier.read_up_to
          )
    )
),
told as (select coalesce(max(read_up_to), 0) as up_to from whole),
late as (
    select
        case when missed.day between :from and :previous then missed.day
            else missed.asked_on end as day
    from missed
    cross join told
    where case
        -- They are read again only when they are asked about again.
        when missed.selector = 'batch'
            then not exists (select 1 from whole where whole.business_date > missed.asked_on)
        when missed.selector in ('unsettled', 'returned')
            then not exists (select 1 from whole where whole.business_date > missed.day)
            and exists (
                select 1 from listing as today
                cross join reading as newest on newest.reading_id = today.reading_id
                where today.resource = missed.resource
                  and today.selector = missed.selector
                  and today.business_date = :date
                  and today.scope = missed.scope
                  and newest.verdict = 'complete'
            )
        else told.up_to < (
            select min(later.reading_id) from reading as later
            where later.listing_id = missed.listing_id
              and later.verdict = 'complete'
              and later.reading_id > missed.reading_id
        )
    end
)
select distinct day
from late
where day between :from and :previous
order by day
