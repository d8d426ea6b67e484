-- purpose: the listings of a business date that hold bank transfers or fees.
-- grain: one listing; ?1 business date.
select listing_id
from listing
where resource in ('bank-transfer-payments', 'bank-transfer-refunds',
    'ach-deposit-fees')
  and selector in ('date', 'settled', 'run', 'unsettled', 'returned')
  and business_date = ?1
order by listing_id
