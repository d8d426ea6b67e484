-- purpose: deposits that a fee of a date names and that no listing has brought.
-- grain: one deposit; ?1 business date.
select distinct fee.ach_deposit_id
from listing
inner join fee
        on fee.listing_id = listing.listing_id
            and fee.reading = listing.reading_id
where listing.resource = 'ach-deposit-fees'
  and listing.selector = 'date'
  and listing.business_date = ?1
  and listing.scope = ''
  and fee.ach_deposit_id is not null
  and not exists (
      select 1 from deposit
      where deposit.ach_deposit_id = fee.ach_deposit_id
          and deposit.gone_in is null
  )
order by fee.ach_deposit_id
