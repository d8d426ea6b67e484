-- purpose: the authorizations of a date with their transactions, as they were
-- read last. One that was captured in parts is several records.
-- grain: one authorization with one of its transactions, or without any; ?1
-- the batch date.
-- rests on: authorizations, batches
-- column authorization_id integer: the API's id
-- column merchant_id text: its own MID, else that of its batch
-- column batch_id integer: the batch that it names
-- column currency text: its currency
-- column currency_exponent exponent: decimals of the currency
-- column authorization_response text: the issuer's answer
-- column preauthorization_minor money: the authorized amount
-- column card_last4 text: the last four digits of the card
-- column card_type text: the type of the card: visa, amex, …
-- column transaction_id integer: the API's id of the transaction
-- column transaction_type text: capture, return, …
-- column transaction_date date: when the sale was made
-- column amount_minor money: the transaction's amount
select
    item.authorization_id,
    coalesce(item.merchant_id, batch.merchant_id) as merchant_id,
    item.batch_id,
    item.currency,
    item.currency as currency_exponent,
    item.authorization_response,
    item.preauthorization_minor,
    item.card_last4,
    item.card_type,
    item.transaction_id,
    item.transaction_type,
    item.transaction_date,
    item.amount_minor
from authorization as item
left join batch on batch.batch_id = item.batch_id
where item.day = ?1
  and item.gone_in is null
order by 2, item.authorization_id, item.transaction_key
