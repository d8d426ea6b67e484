-- purpose: payments that a refund listed for a date names and that no listing
-- has brought.
-- grain: one payment; ?1 business date.
select distinct refund.payment_id
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
  and not exists (
      select 1 from bank_transfer as payment
      where payment.kind = 'payment' and payment.transfer_id = refund.payment_id
  )
order by refund.payment_id
