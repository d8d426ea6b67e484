-- purpose: the earliest return of a merchant's payments in a span, which may count to a later
-- batch date.
-- grain: one row; ?1 terminals as a JSON array, ?2 first day, ?3 day after the last.
select min(returned.return_date)
from transfer_return as returned
inner join bank_transfer as payment
    on payment.kind = 'payment' and payment.transfer_id = returned.payment_id
where returned.return_date >= ?2
  and returned.return_date < ?3
  and payment.terminal_id in (select value from json_each(?1))
