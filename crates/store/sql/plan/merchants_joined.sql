-- purpose: the merchants that came from another shard and need a part of their
-- own in a listing whose first part covers all merchants. Fees have no id:
-- those of a merchant that was not configured are already in that part, and are
-- not read twice.
-- grain: one merchant; parameters: resource, date, and the ordinal after those
-- of the first part.
with
newest as (
    select listing_id, reading_id
    from listing
    where resource = ?1
      and selector = 'date'
      and business_date = ?2
      and scope = ''
)
select merchant_part.merchant_id
from merchant_part
where merchant_part.joined
  and not exists (
      select 1
      from newest
      inner join fee
          on fee.listing_id = newest.listing_id
          and fee.reading = newest.reading_id
      where fee.merchant_id = merchant_part.merchant_id
        and fee.ordinal < ?3
  )
order by merchant_part.merchant_id
