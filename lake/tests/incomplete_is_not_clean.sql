-- Fails where a listing of a date by itself is not complete and nothing of the date is not evaluated.
select listing.business_date, listing.resource, listing.scope
from {{ ref('stg_listings') }} as listing
where listing.listing_date = listing.business_date
    and listing.verdict <> 'complete'
    and listing.resource not in ('transactions', 'disputes')
    and not exists (
        select 1 from {{ ref('stg_not_evaluated') }} as untold
        where untold.business_date = listing.business_date
    )
