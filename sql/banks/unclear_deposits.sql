-- purpose: the deposits up to D that do not say whom they paid, or when: a line of any statement of
-- around then may pay them. Those of a merchant of another shard, that shares an account, as well.
-- grain: one deposit.
select deposit.ach_deposit_id, deposit.day, deposit.merchant_id
from temp.known_days as known
cross join deposit on deposit.day = known.business_date
where deposit.gone_in is null
  and (deposit.merchant_id is null or deposit.payment_date is null)
union all
select neighbour.ach_deposit_id, neighbour.day, neighbour.merchant_id
from temp.known_days as known
cross join neighbour_deposit as neighbour on neighbour.day = known.business_date
where neighbour.payment_date is null
  and not exists (
      select 1
      from listing
      cross join reading on reading.reading_id = listing.reading_id
      where listing.listing_id = neighbour.listing_id
        and reading.reading_id > neighbour.reading
        and reading.verdict = 'complete'
  )
order by 1
