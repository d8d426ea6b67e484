-- purpose: the items of a batch, or of a merchant-day as a whole.
-- grain: one item, an authorization with its transaction; ?1 merchant, ?2 day,
-- ?3 batch ids and ?4 the merchant's terminals, each between semicolons.
select
    'authorization' as kind,
    item.authorization_id || '/' || item.transaction_key as id
from owned_authorization as item
where item.day = ?2
  and item.merchant_id = ?1
  and item.gone_in is null
  and instr(?3, ';' || item.batch_id || ';') > 0
union all
select transfer.kind, transfer.transfer_id
from listing
cross join transfer_listed as listed
    on listed.listing_id = listing.listing_id
        and listed.reading = listing.reading_id
cross join bank_transfer as transfer
    on transfer.transfer_number = listed.transfer_number
where listing.resource in ('bank-transfer-payments', 'bank-transfer-refunds')
  and listing.selector = 'settled'
  and listing.business_date = ?2
  and instr(?4, ';' || listing.scope || ';') > 0
order by 1, 2
