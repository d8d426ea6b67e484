-- purpose: the authorizations of a day, as they are added up and looked at.
-- grain: one authorization and one other with the same transaction; batch by batch.
-- parameters: 1 the day.
-- A join and no subquery, which would open the index anew for every row.
select
    item.authorization_id,
    item.batch_id,
    item.merchant_id,
    item.currency,
    item.has_transaction,
    item.transaction_type,
    item.amount_minor,
    item.preauthorization_minor,
    item.authorization_response,
    other.authorization_id is not null as is_repeated
from authorization as item
left join authorization as other
    on other.transaction_id = item.transaction_id
    and other.transaction_id is not null
    and other.authorization_id <> item.authorization_id
where item.day = ?1
  and item.gone_in is null
