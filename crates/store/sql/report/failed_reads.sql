-- purpose: records that a fetch session tried to read again and could not.
-- grain: one listing by id, by deposit or by batch; ?1 business date.
select
    listing.resource,
    listing.selector,
    listing.scope,
    reading.error
from business_day
inner join reading on reading.session = business_day.session
inner join listing
    on listing.listing_id = reading.listing_id
        and listing.reading_id = reading.reading_id
where business_day.business_date = ?1
  and reading.verdict = 'incomplete'
  and listing.selector in ('id', 'deposit', 'batch')
order by listing.resource, listing.selector, listing.scope
