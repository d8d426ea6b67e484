-- purpose: the card authorizations of a day; the program decides whose are
-- read, and which of them are items.
-- grain: one authorization with one of its transactions; ?1 the day.
select
    item.authorization_id,
    coalesce(item.merchant_id, batch.merchant_id) as merchant_id,
    item.batch_id,
    item.currency,
    item.card_last4,
    item.has_transaction,
    item.transaction_id,
    item.transaction_type,
    item.amount_minor,
    item.transaction_date,
    item.merchant_id is null as is_of_batch
from authorization as item
left join batch
    on item.merchant_id is null
    and batch.batch_id = item.batch_id
where item.day = ?1
  and item.gone_in is null
