-- purpose: the listings of items that were read since a reading, or were being
-- read then, and whose content differs now.
-- grain: one listing; ?1 the reading.
select
    listing.listing_id,
    listing.resource,
    listing.selector,
    listing.scope,
    listing.business_date,
    -- Whether it is complete now, and was complete then.
    newest.verdict = 'complete' and exists (
        select 1 from reading as old
        where old.listing_id = listing.listing_id
          and old.reading_id <= ?1
          and old.verdict = 'complete'
    ) as is_whole
from reading as newest
cross join listing
    on listing.listing_id = newest.listing_id
        and listing.reading_id = newest.reading_id
where newest.reading_id > ?1
  and listing.resource in (
    'authorizations', 'bank-transfer-payments', 'bank-transfer-refunds'
  )
  and not (
      newest.verdict = 'complete'
      and newest.digest is (
          select old.digest from reading as old
          where old.listing_id = listing.listing_id
            and old.reading_id <= ?1
            and old.verdict = 'complete'
          order by old.reading_id desc
          limit 1
      )
  )
order by listing.listing_id
