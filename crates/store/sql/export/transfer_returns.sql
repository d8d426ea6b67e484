-- purpose: the bank transfers that came back on a date.
-- grain: one return of one payment; ?1 the return date.
-- column payment_id text: the payment that came back
-- column return_id text: the API's id of the return
-- column merchant_id text: the MID
-- column code text: the NACHA code
-- column currency text: that of the payment
-- column currency_exponent exponent: decimals of the currency
-- column amount_minor money: the payment's amount
-- column is_represented flag: presented again; empty when it is not said
-- column is_closed flag: closed; empty when it is not said
select
    returned.payment_id,
    returned.return_id,
    terminal.merchant_id,
    returned.code,
    payment.currency,
    payment.currency as currency_exponent,
    payment.amount_minor,
    nullif(returned.represented, 2) as is_represented,
    nullif(returned.closed, 2) as is_closed
from transfer_return as returned
left join bank_transfer as payment
    on payment.transfer_id = returned.payment_id
        and payment.kind = 'payment'
left join temp.configured_terminal as terminal
    on terminal.terminal_id = payment.terminal_id
where returned.return_date = ?1
order by terminal.merchant_id, returned.payment_id, returned.return_id
