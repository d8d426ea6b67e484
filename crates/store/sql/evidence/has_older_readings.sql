-- purpose: whether a listing of a date was read at a time that is past.
-- grain: one row; ?1 business date, ?2 the last reading of that time.
select exists (
    select 1
    from listing
    inner join reading on reading.listing_id = listing.listing_id
    where listing.business_date = ?1
      and reading.reading_id <= ?2
)
