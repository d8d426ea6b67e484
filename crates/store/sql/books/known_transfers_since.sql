-- purpose: find the bank transfers that the listings after a date hold or that
-- are wanted, as known as of D, and when they settled.
-- parameters: :since, the date after which listings count.
-- grain: one bank transfer.
insert into temp.book_transfer (transfer_number, is_listed, settled_day)
with
asof as (select * from temp.asof),
-- A transfer in such a listing counts as listed; the others are looked up.
wanted as materialized (
    select transfer_number, max(is_listed) as is_listed
    from (
        select listed.transfer_number, 1 as is_listed
        from asof
        cross join listing
        cross join transfer_listed as listed
            on listed.listing_id = listing.listing_id
        where listing.resource
            in ('bank-transfer-payments', 'bank-transfer-refunds')
          and listing.selector in ('settled', 'run', 'unsettled', 'returned')
          and listing.business_date > :since
          and listing.business_date <= asof.business_date
        union
        select transfer.transfer_number, max(listing.selector <> 'id')
        from asof
        cross join temp.book_wanted as asked
        cross join bank_transfer as transfer
            on transfer.transfer_id = asked.transfer_id
        cross join transfer_listed as listed
            on listed.transfer_number = transfer.transfer_number
        cross join listing on listing.listing_id = listed.listing_id
        where listing.business_date <= asof.business_date
        group by transfer.transfer_number
    )
    group by transfer_number
),
-- For any date of the listing.
settled as materialized (
    select listed.transfer_number, min(listing.business_date) as day
    from wanted
    cross join transfer_listed as listed
        on listed.transfer_number = wanted.transfer_number
            and listed.is_settled = 1
    cross join temp.settling_listing as listing
        on listing.listing_id = listed.listing_id
            and listing.reading_id = listed.reading
    group by listed.transfer_number
),
known as (
    select transfer_number, max(is_listed) as is_listed
    from (
        select transfer_number, is_listed from wanted
        union all
        -- As in known_transfers.sql.
        select original.transfer_number, 1 as is_listed
        from wanted
        cross join bank_transfer as again
            on again.transfer_number = wanted.transfer_number
                and again.kind = 'payment'
        cross join bank_transfer as original
            on original.representment_id = again.transfer_id
                and original.kind = 'payment'
    )
    group by transfer_number
)
select known.transfer_number, known.is_listed, settled.day
from known
left join settled on settled.transfer_number = known.transfer_number
