-- purpose: what is stored of the records that a fetch session received.
-- grain: one record; currency and amount are null where the record carries none.
-- parameters: ?1 session.
with
readings as (
    select reading.reading_id, reading.listing_id, listing.resource, listing.selector,
        listing.scope, listing.business_date
    from reading
    inner join listing on listing.listing_id = reading.listing_id
    where reading.session = ?1
),
-- Authorizations are many: they are found by their days, not by their readings.
authorization_days as (
    select business_date as day from readings
    where resource = 'authorizations' and selector = 'date'
    union
    select batch.day from readings
    inner join batch on batch.batch_id = cast(readings.scope as integer)
    where readings.resource = 'authorizations' and readings.selector = 'batch'
    union
    select item.day from readings
    inner join authorization as item on item.authorization_id = cast(readings.scope as integer)
    where readings.resource = 'authorizations' and readings.selector = 'id'
)
select 'deposit' as kind, null as currency, null as amount_minor
from readings inner join deposit on deposit.reading = readings.reading_id
union all
select 'fee', null, null
from readings inner join fee on fee.listing_id = readings.listing_id
    and fee.reading = readings.reading_id
union all
select 'batch', batch.currency, batch.sale_amount_minor - batch.return_amount_minor
from readings inner join batch on batch.reading = readings.reading_id
union all
select 'authorization', item.currency, item.amount_minor
from authorization_days
inner join authorization as item on item.day = authorization_days.day
where item.reading in (select reading_id from readings)
union all
select transfer.kind, transfer.currency, transfer.amount_minor
from readings inner join bank_transfer as transfer on transfer.reading = readings.reading_id
