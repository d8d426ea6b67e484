-- purpose: the money in transit as of a date.
-- grain: one batch, bank transfer or held transaction; ?1 the business date.
-- column kind text: batch, payment, refund or held
-- column id text: the API's id
-- column merchant_id text: the MID
-- column merchant_name text: as configured, else the trading name
-- column currency text: its currency
-- column currency_exponent exponent: decimals of the currency
-- column item_date date: its batch or run date
-- column due_date date: when it is due; empty for money on hold
-- column amount_minor money: the expected amount; a refund is below zero
-- column status text: the processor's word, where it says why
select
    kind,
    id,
    merchant_id,
    merchant_name,
    currency,
    currency as currency_exponent,
    nullif(date, '') as item_date,
    nullif(due_date, '') as due_date,
    amount_minor,
    nullif(status, '') as status
from transit_result
where business_date = ?1
order by merchant_id, kind, id
