-- purpose: a bank transfer that was requested by its id and is no longer known.
-- grain: one bank transfer; ?1 the listing of the request, ?2 the date as of
-- which it settled.
select
    transfer.kind,
    transfer.transfer_id,
    terminal.merchant_id,
    (
        select min(of_day.business_date)
        from transfer_listed as other
        cross join listing as of_day on of_day.listing_id = other.listing_id
        where other.transfer_number = transfer.transfer_number
          and of_day.selector = 'settled'
          and of_day.business_date <= ?2
    ) as settled_day
from listing
cross join bank_transfer as transfer
    on transfer.transfer_id = listing.scope
    and transfer.kind = case listing.resource
        when 'bank-transfer-payments' then 'payment' else 'refund'
    end
left join temp.configured_terminal as terminal
    on terminal.terminal_id = transfer.terminal_id
where listing.listing_id = ?1
  and listing.selector = 'id'
  and transfer.reading < listing.reading_id
