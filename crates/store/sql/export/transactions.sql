-- purpose: the card transactions of a date as the settlement system shows them,
-- where the key may list them.
-- grain: one card transaction; ?1 the batch date.
-- rests on: transactions
-- column transaction_id integer: the API's id
-- column merchant_id text: the MID
-- column batch_id integer: its batch
-- column currency text: its currency
-- column currency_exponent exponent: decimals of the currency
-- column transaction_type text: capture, return, …
-- column amount_minor money: its amount
-- column ach_deposit_id integer: the deposit that holds it
-- column status text: the processor's word for where the money is
-- column standing text: its meaning: expected, held, withdrawn, …
select
    item.transaction_id,
    item.merchant_id,
    item.batch_id,
    item.currency,
    item.currency as currency_exponent,
    item.transaction_type,
    item.amount_minor,
    item.ach_deposit_id,
    stored.status,
    iif(item.standing = 'released', 'expected', item.standing) as standing
from standing_transaction as item
inner join card_transaction as stored
    on stored.transaction_id = item.transaction_id
where item.day = ?1
  and item.gone_in is null
order by item.merchant_id, item.transaction_id
