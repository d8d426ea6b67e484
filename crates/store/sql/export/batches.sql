-- purpose: the batches of a date, as they were read last.
-- grain: one batch; ?1 the batch date.
-- column batch_id integer: the API's id
-- column merchant_id text: the MID
-- column currency text: its currency
-- column currency_exponent exponent: decimals of the currency
-- column transaction_count count: how many transactions its header states
-- column sale_amount_minor money: sales of its header
-- column return_amount_minor money: returns of its header
select
    batch_id,
    merchant_id,
    currency,
    currency as currency_exponent,
    transaction_count,
    sale_amount_minor,
    return_amount_minor
from batch
where day = ?1
  and gone_in is null
order by merchant_id, batch_id
