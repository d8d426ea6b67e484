-- code: PAYMENT_NOT_SETTLED
-- severity: error
-- figure: amount
-- money: overdue
-- subject: payment
-- names: payment
-- final: waits
-- needs: bank-transfer-payments/settled bank-transfer-payments/unsettled
--   bank-transfer-payments/run bank-transfer-payments/returned
-- transit: payments
-- means: A payment is in no settled listing although it should have settled by
--   now.
-- explanation: Payment {payment_id} of {expected} {currency}, run on
--   {batch_date} with status {status}, should have settled by {due_date}, but
--   is in no settled listing.
-- action: Ask the processor why the payment was not submitted; it will not be
--   in a deposit.
-- grain: one overdue payment.
select overdue.*, overdue.subject as payment_id
from temp.overdue_transfers as overdue
where overdue.kind = 'payment'
  and (
      overdue.is_certain
      -- An open finding that cannot be evaluated stays open; no new one is
      -- made.
      or overdue.subject in (
          select subject from temp.carried where code = 'PAYMENT_NOT_SETTLED'
      )
  )
order by overdue.subject
