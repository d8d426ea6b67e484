-- purpose: the records that an interrupted fetch session has stored, so that
-- counting can continue; authorizations and card transactions, which are many,
-- are added up in session_cards.sql.
-- grain: one record; currency and amount are null where it carries none; ?1
-- session.
with readings as (
    select
        reading.reading_id,
        reading.listing_id,
        listing.resource,
        listing.selector,
        listing.business_date
    from reading
    cross join listing on listing.listing_id = reading.listing_id
    where reading.session = ?1
)
select
    'deposit' as kind,
    cast(deposit.ach_deposit_id as text) as id,
    deposit.reading,
    null as currency,
    null as amount_minor
from readings
-- By its day: a newer reading may have brought it again, by its id.
cross join deposit
    on deposit.day = readings.business_date
    and deposit.reading >= readings.reading_id
where readings.resource = 'ach-deposits'
  and readings.selector = 'date'
union all
select
    'fee',
    fee.listing_id || '/' || fee.ordinal,
    fee.reading,
    null,
    null
from readings
inner join fee
    on fee.listing_id = readings.listing_id
        and fee.reading = readings.reading_id
union all
select
    'batch',
    cast(batch.batch_id as text),
    batch.reading,
    batch.currency,
    batch.sale_amount_minor - batch.return_amount_minor
from readings
cross join batch
    on batch.day = readings.business_date
    and batch.reading >= readings.reading_id
where readings.resource = 'batches'
  and readings.selector = 'date'
union all
select
    transfer.kind,
    transfer.transfer_id,
    listed.reading,
    transfer.currency,
    transfer.amount_minor
from readings
inner join transfer_listed as listed
    on listed.listing_id = readings.listing_id
        and listed.reading = readings.reading_id
inner join bank_transfer as transfer
    on transfer.transfer_number = listed.transfer_number
where readings.selector <> 'id'
