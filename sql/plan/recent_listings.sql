-- purpose: the listings of recent dates that have been read: for their own date,
-- or for what another one was judged by.
-- grain: one listing; ?1 the first date, ?2 the day after the last.
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
order by listing.business_date, listing.resource, listing.selector,
    listing.scope
