-- purpose: the authorizations and card transactions that an interrupted fetch
-- session has stored, so that counting can continue. They are found by their
-- day, by their batch or by their id, not by their reading: an index on it
-- would cost more, every night, than this search does after a kill.
-- grain: one of them, in no order: they are added up as they come, since a
-- million of them would not be held in memory; ?1 session.
with
readings as materialized (
    select
        reading.reading_id,
        listing.resource,
        listing.selector,
        listing.business_date,
        listing.scope
    from reading
    cross join listing on listing.listing_id = reading.listing_id
    where reading.session = ?1
      and listing.resource in ('authorizations', 'transactions')
),
days as (
    select distinct business_date as day from readings where selector = 'date'
)
select item.currency, item.amount_minor
from days
cross join authorization as item on item.day = days.day
where item.reading in (select reading_id from readings)
union all
select item.currency, item.amount_minor
from readings
cross join batch on batch.batch_id = cast(readings.scope as integer)
cross join authorization as item
    on item.day = batch.day
    and item.batch_id = batch.batch_id
    and item.reading = readings.reading_id
where readings.resource = 'authorizations'
  and readings.selector = 'batch'
  and batch.day not in (select day from days)
union all
select item.currency, item.amount_minor
from readings
cross join authorization as item
    on item.authorization_id = cast(readings.scope as integer)
    and item.reading = readings.reading_id
where readings.resource = 'authorizations'
  and readings.selector = 'id'
  and item.day not in (select day from days)
union all
select item.currency, item.amount_minor
from days
cross join card_transaction as item on item.day = days.day
where item.reading in (select reading_id from readings)
