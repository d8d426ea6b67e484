-- purpose: note the listings that the readings since a reading have changed, or
-- could not complete. Fees and card transactions are no part of the books.
-- grain: one listing.
-- parameters: ?1, the newest reading by then.
insert into temp.touched_listing
    (resource, selector, scope, business_date, is_whole)
select
    listing.resource,
    listing.selector,
    listing.scope,
    listing.business_date,
    newest.verdict = 'complete' and old.verdict is 'complete' as is_whole
from reading as newest
cross join listing
    on listing.listing_id = newest.listing_id
        and listing.reading_id = newest.reading_id
left join reading as old on old.reading_id = (
    select max(before.reading_id) from reading as before
    where before.listing_id = listing.listing_id
      and before.reading_id <= ?1
)
where newest.reading_id > ?1
  and listing.resource not in ('ach-deposit-fees', 'transactions')
  and not (
      newest.verdict = 'complete'
      and old.verdict is 'complete'
      and newest.digest = old.digest
  )
