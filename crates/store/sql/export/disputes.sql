-- purpose: the disputes that were submitted on a date, as they were read last.
-- grain: one dispute; ?1 the date under which it is listed.
-- column dispute_id integer: the API's id
-- column merchant_id text: the MID
-- column dispute_type text: the processor's word
-- column status text: the newest status when it was read
-- column status_date date: the date of that status
-- column received_date date: when the acquiring bank received it
-- column currency text: its currency
-- column currency_exponent exponent: decimals of the currency
-- column amount_minor money: the disputed amount
-- column fee_minor money: the processor's fee for it
-- column card_last4 text: the last four digits of the card
-- column transaction_id integer: the card transaction that it is about
select
    dispute_id,
    merchant_id,
    dispute_type,
    status,
    status_date,
    received_date,
    currency,
    currency as currency_exponent,
    amount_minor,
    fee_minor,
    card_last4,
    transaction_id
from dispute
where day = ?1
  and gone_in is null
order by merchant_id, dispute_id
