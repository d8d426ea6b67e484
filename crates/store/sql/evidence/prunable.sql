-- purpose: pages that only dates before another have read, and whether an open
-- discrepancy rests on one of them: then the listing is of a day that is kept,
-- was read for such a day, or looked up one of its records.
-- grain: one page body; ?1 the first date whose pages stay.
with
bodies as (
    select
        page.digest,
        max(coalesce(fetch_session.business_date, '9999-12-31')) as newest,
        max(
            listing.business_date in (select day from temp.kept_days)
            or fetch_session.business_date in (select day from temp.kept_days)
            or (listing.selector = 'id' and exists (
                select 1 from discrepancy_day as found
                where found.business_date = (
                    select max(business_date) from business_day where reconciled
                )
                  and listing.scope in (found.payment_id, found.refund_id)
                  and found.status in ('new', 'open', 'accepted')
            ))
        ) as is_kept
    from page
    inner join reading on reading.reading_id = page.reading_id
    inner join listing on listing.listing_id = reading.listing_id
    left join fetch_session on fetch_session.session = abs(reading.session)
    group by page.digest
)
select bodies.digest, bodies.is_kept, length(page_body.content) as bytes
from bodies
inner join page_body on page_body.digest = bodies.digest
where bodies.newest < ?1
  and page_body.content is not null
order by bodies.digest
