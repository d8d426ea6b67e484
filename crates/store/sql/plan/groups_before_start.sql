-- purpose: the merchant-days before the start that deposits of recent dates pay
-- for. They are few, and none on most nights, so their own index is used: the
-- deposits of those dates are many.
-- grain: one merchant, day and payout date; ?1 the first payout date, ?2 the
-- one after the last, ?3 the start.
select distinct
    merchant_id,
    association_date,
    day
from deposit indexed by deposit_by_association
where association_date < ?3
  and day >= ?1
  and day < ?2
  and gone_in is null
  and merchant_id is not null
order by day, association_date, merchant_id
