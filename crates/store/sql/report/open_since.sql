-- purpose: the dates from which money of a merchant is not known to have
-- arrived, through a listing that was not read completely or a deposit that may
-- still arrive at its bank.
-- grain: one date; the merchant is empty for all of them.
-- parameters: :bank_days.
select coalesce(terminal.merchant_id, '') as merchant_id,
    listing.business_date as day
from reading indexed by reading_not_complete
cross join listing
    on listing.listing_id = reading.listing_id
    and listing.reading_id = reading.reading_id
cross join temp.asof as asof
left join temp.configured_terminal as terminal
    on terminal.terminal_id = listing.scope
-- The first condition finds them in the index, the second allows its use.
where reading.verdict in ('reading', 'incomplete')
  and reading.verdict <> 'complete'
  and listing.selector in ('date', 'settled', 'run')
  and listing.resource not in ('transactions', 'disputes')
  and listing.business_date between asof.start_date and asof.business_date
union
select deposit.merchant_id, deposit.association_date
from temp.asof as asof
-- No due date is later than that, whatever the holidays.
cross join deposit
    on deposit.day between date(asof.business_date, '-120 days')
        and asof.business_date
inner join temp.merchants as merchants
    on merchants.merchant_id = deposit.merchant_id
where deposit.gone_in is null
  and deposit.association_date is not null
  and due(deposit.day, :bank_days, merchants.calendar) > asof.business_date
