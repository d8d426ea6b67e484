-- purpose: the days whose batches in a session differ from those of earlier
-- readings. Records are compared, since a page can differ in its links alone.
-- The session decides, not the plan, so that a killed run finds the same days.
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
