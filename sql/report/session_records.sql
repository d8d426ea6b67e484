-- purpose: the records that an interrupted fetch session has stored, to count on from there;
-- authorizations and card transactions, which are many, are added up in session_cards.sql.
-- grain: one record; currency and amount are null where it carries none; ?1 session.
with readings as (
    select
        reading.reading_id,
        reading.listing_id
    from reading
    where reading.session = ?1
)
select
    'deposit' as kind,
    cast(deposit.ach_deposit_id as text) as id,
    deposit.reading,
    null as currency,
    null as amount_minor
from readings
inner join deposit on deposit.reading = readings.reading_id
union all
select
    'fee',
    fee.listing_id || '/' || fee.ordinal,
    fee.reading,
    null,
    null
from readings
inner join fee
    on fee.listing_id = readings.listing_id and fee.reading = readings.reading_id
union all
select
    'batch',
    cast(batch.batch_id as text),
    batch.reading,
    batch.currency,
    batch.sale_amount_minor - batch.return_amount_minor
from readings
inner join batch on batch.reading = readings.reading_id
union all
select
    transfer.kind,
    transfer.transfer_id,
    listed.reading,
    transfer.currency,
    transfer.amount_minor
from readings
inner join transfer_listed as listed
    on listed.listing_id = readings.listing_id and listed.reading = readings.reading_id
inner join bank_transfer as transfer
    on transfer.kind = listed.kind and transfer.transfer_id = listed.transfer_id
