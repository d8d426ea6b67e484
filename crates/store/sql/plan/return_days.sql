-- purpose: the days in a span on which payments of a terminal came back: such a
-- return may count to a later batch date.
-- grain: one terminal and day; ?1 first day, ?2 day after the last.
select distinct payment.terminal_id, returned.return_date
from transfer_return as returned
cross join bank_transfer as payment
    on payment.kind = 'payment' and payment.transfer_id = returned.payment_id
where returned.return_date >= ?1
  and returned.return_date < ?2
order by payment.terminal_id, returned.return_date
