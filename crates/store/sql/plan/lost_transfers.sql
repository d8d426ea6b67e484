-- purpose: bank transfers that a listing held when its date was reconciled, and
-- that its newest complete reading does not hold.
-- grain: one bank transfer; ?1 the first date, ?2 the last.
with scopes (resource, selector) as (
    values
        ('bank-transfer-payments', 'settled'),
        ('bank-transfer-payments', 'run'),
        ('bank-transfer-refunds', 'settled'),
        ('bank-transfer-refunds', 'run')
)
select distinct transfer.kind, transfer.transfer_id
from scopes
cross join listing
    on listing.resource = scopes.resource
    and listing.selector = scopes.selector
    and listing.business_date between ?1 and ?2
cross join reconciled_listing as base on base.listing_id = listing.listing_id
cross join reading on reading.reading_id = listing.reading_id
cross join transfer_listed as listed on listed.listing_id = listing.listing_id
cross join bank_transfer as transfer
    on transfer.transfer_number = listed.transfer_number
where reading.verdict = 'complete'
  and listed.first_reading <= base.up_to_reading
  and listed.reading >= base.reading_id
  and listed.reading < listing.reading_id
order by transfer.kind, transfer.transfer_id
