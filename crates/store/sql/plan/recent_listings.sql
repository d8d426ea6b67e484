-- purpose: the listings of recent dates that a reconciliation has rested on, or
-- that were read to judge an earlier date.
-- grain: one listing; ?1 the first date, ?2 the date that looks back.
with scopes (resource, selector) as (
    values
        ('ach-deposits', 'date'),
        ('batches', 'date'),
        ('authorizations', 'date'),
        ('bank-transfer-payments', 'settled'),
        ('bank-transfer-payments', 'run'),
        ('bank-transfer-refunds', 'settled'),
        ('bank-transfer-refunds', 'run')
)
select
    listing.resource,
    listing.selector,
    listing.scope,
    listing.business_date,
    reading.records
from scopes
cross join listing
    on listing.resource = scopes.resource
    and listing.selector = scopes.selector
    and listing.business_date >= ?1
    and listing.business_date < ?2
cross join reading on reading.reading_id = listing.reading_id
where exists (
        select 1 from reconciled_listing as base
        where base.listing_id = listing.listing_id
    )
    -- A listing that only the date itself has read, before it was killed or in
    -- an earlier run, is not read again. A reading that is shared by the dates
    -- of a run has the session of the first one, below zero.
    or exists (
        select 1 from reading as earlier
        cross join fetch_session as session
            on session.session = abs(earlier.session)
        where earlier.listing_id = listing.listing_id
          and session.business_date < ?2
    )
order by listing.business_date, listing.resource, listing.selector,
    listing.scope
