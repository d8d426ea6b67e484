-- purpose: the disputes submitted or changed on a date, or open on it.
-- grain: one dispute; ?1 the business date.
-- column dispute_id integer: the API's id
-- column merchant_id text: the MID
-- column merchant_name text: as configured, else the trading name
-- column currency text: its currency
-- column currency_exponent exponent: decimals of the currency
-- column dispute_type text: the processor's word
-- column status text: the status as of the date
-- column status_date date: the date of the status
-- column received_date date: when the acquiring bank received it
-- column due_date date: until when the merchant has to answer
-- column amount_minor money: the disputed amount
-- column fee_minor money: the processor's fee for it
-- column ach_deposit_id text: the deposits whose adjustment it explains
-- column verdict text: waits, undecided, won or lost
select
    dispute_id,
    merchant_id,
    merchant_name,
    currency,
    currency as currency_exponent,
    dispute_type,
    status,
    nullif(status_date, '') as status_date,
    nullif(received_date, '') as received_date,
    nullif(due_date, '') as due_date,
    amount_minor,
    fee_minor,
    nullif(ach_deposit_id, '') as ach_deposit_id,
    verdict
from dispute_result
where business_date = ?1
order by merchant_id, dispute_id
