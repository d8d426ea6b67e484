-- purpose: every reading for a business date; for the current lists of bank
-- transfers, with the number of records counted and of those stored.
-- grain: one reading; ?1 business date.
select
    reading.reading_id,
    listing.selector = 'id' as is_single,
    case
        when listing.reading_id = reading.reading_id
            and reading.verdict = 'complete'
            and listing.selector in ('settled', 'run', 'unsettled', 'returned')
            then reading.records
    end as counted,
    (
        select count(*) from transfer_listed as listed
        inner join bank_transfer as transfer
            on transfer.transfer_number = listed.transfer_number
        where listed.listing_id = listing.listing_id
          and listed.reading = reading.reading_id
    ) as kept
from fetch_session as session
-- A reading that was repeated while the date was judged has the session's
-- number below zero.
cross join reading on reading.session in (session.session, -session.session)
cross join listing on listing.listing_id = reading.listing_id
where session.business_date = ?1
order by reading.reading_id
