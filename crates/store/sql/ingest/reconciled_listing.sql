-- purpose: note the complete listings of a date that its reconciliation rested
-- on, at its first reconciliation; ?1 business date, ?2 the newest reading of
-- all.
-- grain: one listing.
insert or ignore into reconciled_listing (listing_id, reading_id, up_to_reading)
select
    listing.listing_id,
    listing.reading_id,
    ?2
from listing
inner join reading on reading.reading_id = listing.reading_id
where listing.resource in ('ach-deposits', 'batches', 'authorizations')
  and listing.selector = 'date'
  and listing.business_date = ?1
  and reading.verdict = 'complete'
union all
select
    listing.listing_id,
    listing.reading_id,
    ?2
from listing
inner join reading on reading.reading_id = listing.reading_id
where listing.resource in ('bank-transfer-payments', 'bank-transfer-refunds')
  and listing.selector in ('settled', 'run')
  and listing.business_date = ?1
  and reading.verdict = 'complete'
