-- purpose: the authorizations of a day, to be added up and looked at.
-- grain: one authorization with one of its transactions, batch by batch.
-- parameters: 1 the day.
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
    item.transaction_id,
    item.authorization_id in (select authorization_id from split_authorization)
        as is_split
from owned_authorization as item
where item.day = ?1
  and item.gone_in is null
