-- purpose: the bank transfers of a listing of which something was said since a
-- reading that was not said before, and those that came into the listing or
-- left it since.
-- grain: one bank transfer; ?1 the listing, ?2 the reading, ?3 the date as of
-- which it settled.
select
    transfer.kind,
    transfer.transfer_id,
    terminal.merchant_id,
    coalesce(said.reading, transfer.reading) > ?2 as is_changed,
    listed.first_reading > ?2 or listed.reading < listing.reading_id
        as is_moved,
    transfer.representment_id is not null as is_represented,
    (
        select min(of_day.business_date)
        from transfer_listed as other
        cross join listing as of_day on of_day.listing_id = other.listing_id
        where other.transfer_number = listed.transfer_number
          and of_day.selector = 'settled'
          and of_day.business_date <= ?3
    ) as settled_day
from listing
cross join transfer_listed as listed on listed.listing_id = listing.listing_id
cross join bank_transfer as transfer
    on transfer.transfer_number = listed.transfer_number
left join transfer_said as said
    on said.transfer_number = listed.transfer_number
left join temp.configured_terminal as terminal
    on terminal.terminal_id = transfer.terminal_id
where listing.listing_id = ?1
  and (
      coalesce(said.reading, transfer.reading) > ?2
      or listed.first_reading > ?2
      or listed.reading < listing.reading_id
  )
order by listed.transfer_number
