-- purpose: deposits that hold what was on hold, that no listing has brought and
-- that were not looked up: the hold ends on the day on which they are sent.
-- grain: one deposit; ?1 the first day of transactions, ?2 the last.
select distinct total.ach_deposit_id
from total_after_hold as total
where total.day between ?1 and ?2
  and not exists (
      select 1 from deposit
      where deposit.ach_deposit_id = total.ach_deposit_id
          and deposit.gone_in is null
  )
  and not exists (
      select 1 from listing
      inner join reading on reading.reading_id = listing.reading_id
      where listing.scope = cast(total.ach_deposit_id as text)
        and listing.resource = 'ach-deposits'
        and listing.selector = 'id'
        and reading.verdict = 'complete'
  )
order by total.ach_deposit_id
