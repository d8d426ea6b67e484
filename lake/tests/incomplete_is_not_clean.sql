-- Fails where a listing of a date is not complete, and either no check of the
-- date is not evaluated, or its manifest says that all were evaluated.
select listing.business_date, listing.resource, listing.scope
from {{ ref('stg_listings') }} as listing
inner join {{ ref('whole_partitions') }} as whole
    on whole.business_date = listing.business_date
    and whole.shard = listing.shard
where listing.listing_date = listing.business_date
    and listing.verdict <> 'complete'
    and listing.resource not in ('transactions', 'disputes')
    and (
        whole.is_complete
        or not exists (
            select 1 from {{ ref('stg_not_evaluated') }} as untold
            where untold.business_date = listing.business_date
        )
    )
