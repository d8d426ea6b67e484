-- purpose: whether the key has disputes, and all requested disputes of the 120
-- days up to D were read.
-- grain: one row.
select coalesce(
    (select is_there from key_operation where name = 'disputes'), 0
) and not exists (
    select 1
    from temp.asof as asof
    cross join temp.failed_listing as listing
    where listing.resource = 'disputes'
      and listing.selector = 'date'
      and listing.business_date between date(asof.business_date, '-120 days')
          and asof.business_date
)
