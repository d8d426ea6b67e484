-- purpose: discrepancies that were cleared lately and that no list holds since:
-- when a changed record cleared one, it comes back with the record's earlier
-- content.
-- grain: one discrepancy as it was cleared; ?1 the earliest date, ?2 the date
-- that is judged.
select day.*
from discrepancy_day as day
where day.business_date >= ?1
  and day.business_date < ?2
  and day.status = 'cleared'
  and not exists (
      select 1 from discrepancy_day as later
      where later.discrepancy_id = day.discrepancy_id
        and later.business_date > day.business_date
        and later.business_date < ?2
  )
order by day.discrepancy_id
