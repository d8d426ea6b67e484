-- purpose: payments with a return that was not handled, run before the range of
-- the look-back from :from: a known return is read again until it is
-- re-presented or closed.
-- grain: one payment; :from the first local date that the listings reach.
select distinct payment.transfer_id
from transfer_return as back indexed by transfer_return_open
cross join bank_transfer as payment
    on payment.transfer_id = back.payment_id and payment.kind = 'payment'
where back.represented <> 1
  and back.closed = 0
  and back.effect = 1
  and back.undone_on is null
  and payment.run_at < :from
order by payment.transfer_id
