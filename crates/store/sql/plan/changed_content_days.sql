-- purpose: the days with a complete listing that has another content in a
-- reading that no earlier date has seen.
-- grain: one day.
-- parameters: ?1, the latest earlier reconciled date; ?2, the first day.
with
seen as (
    select max(read_up_to) as up_to from business_day
    where reconciled and business_date between ?2 and ?1
)
select distinct listing.business_date as day
from seen
-- Few of the readings were not seen by an earlier date.
cross join reading on reading.reading_id > seen.up_to
cross join listing
    on listing.listing_id = reading.listing_id
        and listing.reading_id = reading.reading_id
cross join reading as before on before.reading_id = (
    select max(earlier.reading_id) from reading as earlier
    where earlier.listing_id = listing.listing_id
      and earlier.verdict = 'complete'
      and earlier.reading_id <= seen.up_to
)
where reading.verdict = 'complete'
  and listing.selector in ('date', 'settled', 'run')
  and listing.resource not in ('transactions', 'disputes')
  and listing.business_date between ?2 and ?1
  and reading.digest <> before.digest
  -- In a shard a part belongs to one merchant: a merchant that joins or
  -- leaves changes no facts of another.
  and (
      not exists (select 1 from shard where name <> 'whole')
      or exists (
          select 1
          from page as one
          where one.reading_id in (reading.reading_id, before.reading_id)
            and 2 = (
                select count(distinct other.reading_id) from page as other
                where other.reading_id in (reading.reading_id,
                    before.reading_id)
                  and other.part = one.part
            )
            and 1 = (
                select count(*) from page as other
                where other.reading_id in (reading.reading_id,
                    before.reading_id)
                  and other.part = one.part
                  and other.page_number = one.page_number
                  and other.digest = one.digest
            )
      )
  )
order by 1
