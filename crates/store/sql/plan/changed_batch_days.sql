-- purpose: the days whose batches a session has read otherwise than they were
-- read before, by what the records say: a page can differ in its links alone.
-- The session tells, and not what was planned, so that a killed run sees the
-- same.
-- grain: one day; ?1 the first date, ?2 the day after the last, ?3 the session.
select listing.business_date
from listing
inner join reading as newest on newest.reading_id = listing.reading_id
where listing.resource = 'batches'
  and listing.selector = 'date'
  and listing.business_date >= ?1
  and listing.business_date < ?2
  and newest.session = ?3
  and (
      newest.records is not (
          select earlier.records
          from reading as earlier
          where earlier.listing_id = listing.listing_id
            and earlier.session <> ?3
            and earlier.verdict = 'complete'
          order by earlier.reading_id desc
          limit 1
      )
      or exists (
          select 1
          from reading as own
          cross join record_version as version
              on version.replaced_in = own.reading_id
          where own.listing_id = listing.listing_id
            and own.session = ?3
            and +version.kind = 'batch'
      )
  )
