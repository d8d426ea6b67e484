-- purpose: ACH debits that settled in a window, for the return rates of a
-- period.
-- grain: one terminal and day whose listing of settled payments is complete; a
-- payment that later listings hold again counts on its first day; ?1 first day,
-- ?2 last day.
select
    listing.scope as terminal_id,
    listing.business_date as day,
    count(transfer.transfer_id) as debits
from business_day as day
cross join listing
    on listing.resource = 'bank-transfer-payments'
    and listing.selector = 'settled'
    and listing.business_date = day.business_date
inner join reading on reading.reading_id = listing.reading_id
left join transfer_listed as listed
    on listed.listing_id = listing.listing_id
        and listed.reading = listing.reading_id
left join bank_transfer as transfer
    on transfer.transfer_number = listed.transfer_number
    and transfer.kind = 'payment'
    and transfer.transfer_type = 'payment'
    -- The rules are those of the ACH network, which moves US dollars.
    and transfer.currency = 'USD'
    -- A payment that is itself the return of another one is not a debit.
    and not exists (
        select 1 from transfer_return as returned
        where returned.return_id = transfer.transfer_id
    )
    and not exists (
        select 1
        from transfer_listed as before
        inner join listing as earlier on earlier.listing_id = before.listing_id
        inner join reading as earlier_reading
            on earlier_reading.reading_id = earlier.reading_id
        where before.transfer_number = transfer.transfer_number
          and earlier.selector = 'settled'
          and earlier.business_date < listing.business_date
          and before.reading = earlier.reading_id
          and earlier_reading.verdict = 'complete'
    )
where day.business_date between ?1 and ?2
  and day.reconciled
  and reading.verdict = 'complete'
group by listing.scope, listing.business_date
order by listing.scope, listing.business_date
