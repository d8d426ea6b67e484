-- purpose: the returns of payments of merchants with a ledger; a return after D
-- is known to the rules that count returns of any date.
-- grain: one return of a payment.
select
    returned.payment_id,
    returned.return_id,
    returned.return_date,
    returned.closed,
    returned.represented,
    returned.effect = 1 as is_taken_back,
    returned.undone_on,
    terminal.merchant_id,
    returned.return_date <= asof.business_date as is_dated
from temp.asof as asof
cross join transfer_return as returned
inner join bank_transfer as transfer
    on transfer.kind = 'payment' and transfer.transfer_id = returned.payment_id
inner join temp.configured_terminal as terminal
    on terminal.terminal_id = transfer.terminal_id
where terminal.merchant_id in (select merchant_id from temp.book_merchant)
order by returned.payment_id, returned.return_id
