-- purpose: payments that a refund listed for a date names, and those that
-- present them again, that no listing has brought.
-- grain: one payment; ?1 business date.
with recursive
named (payment_id) as (
    select refund.payment_id
    from listing
    inner join transfer_listed as listed
        on listed.listing_id = listing.listing_id
            and listed.reading = listing.reading_id
    inner join bank_transfer as refund
        on refund.transfer_number = listed.transfer_number
    where listing.resource = 'bank-transfer-refunds'
      and listing.selector in ('run', 'settled')
      and listing.business_date = ?1
      and refund.payment_id is not null
    union
    select payment.representment_id
    from named
    cross join bank_transfer as payment
        on payment.kind = 'payment' and payment.transfer_id = named.payment_id
    where payment.representment_id is not null
)
select named.payment_id
from named
where not exists (
    select 1 from bank_transfer as payment
    where payment.kind = 'payment' and payment.transfer_id = named.payment_id
)
order by named.payment_id
