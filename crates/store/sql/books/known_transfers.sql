-- purpose: find the bank transfers that are known as of D, and when they
-- settled.
-- grain: one bank transfer.
insert into temp.book_transfer (transfer_number, is_listed, settled_day)
with
asof as (select * from temp.asof),
settled as (
    select listed.transfer_number, min(listing.business_date) as day
    from temp.settling_listing as listing
    inner join transfer_listed as listed
        on listed.listing_id = listing.listing_id
            and listed.reading = listing.reading_id
    where listing.selector = 'settled'
    group by listed.transfer_number
),
-- A transfer that only a listing of a later date holds was not known yet. A
-- transfer that was looked up because a record names its id is in no listing of
-- a date.
listed_by_then as (
    select listed.transfer_number, max(listing.selector <> 'id') as is_listed
    from asof
    cross join listing
    inner join transfer_listed as listed
        on listed.listing_id = listing.listing_id
    where listing.business_date <= asof.business_date
    group by listed.transfer_number
),
-- A payment that presents another one again proves that one, even where the
-- listing that should have held it could not be read.
presented_again as (
    select original.transfer_number, 1 as is_listed
    from bank_transfer as original
    cross join bank_transfer as again
        on again.transfer_id = original.representment_id
            and again.kind = 'payment'
    where original.kind = 'payment'
      and original.representment_id is not null
      -- Looked up one by one, instead of a search for each of them.
      and +again.transfer_number in (select transfer_number from listed_by_then)
),
known as (
    select transfer_number, max(is_listed) as is_listed
    from (select * from listed_by_then union all select * from presented_again)
    group by transfer_number
)
select known.transfer_number, known.is_listed, settled.day
from known
left join settled on settled.transfer_number = known.transfer_number
