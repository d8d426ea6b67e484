-- purpose: the merchants with an item since a date that shares an authorization
-- or a transaction with an item from before.
-- grain: one merchant; ?1 the date, ?2 D.
select distinct item.merchant_id
from owned_authorization as item
where item.day > ?1
  and item.day <= ?2
  and item.gone_in is null
  and (
      exists (
          select 1 from split_authorization as split
          inner join authorization as other
              on other.authorization_id = split.authorization_id
          where split.authorization_id = item.authorization_id
            and other.day <= ?1
      )
      or exists (
          select 1 from authorization as other
          where other.transaction_id = item.transaction_id
            and other.day <= ?1
      )
  )
