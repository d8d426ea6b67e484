-- code: REFUND_NOT_SETTLED
-- severity: error
-- figure: amount
-- money: more-is-short
-- subject: refund
-- names: refund
-- final: waits
-- needs: bank-transfer-refunds/settled bank-transfer-refunds/unsettled
--   bank-transfer-refunds/run bank-transfer-payments/returned
-- transit: refunds
-- means: A refund is in no settled listing although it should have settled by
--   now.
-- explanation: Refund {refund_id} of {expected} {currency}, run on {batch_date}
--   with status {status}, should have settled by {due_date}, but is in no
--   settled listing.
-- action: Ask the processor why the refund was not submitted; it will not be in
--   a deposit.
-- grain: one overdue refund.
select overdue.*, overdue.subject as refund_id
from temp.overdue_transfers as overdue
where overdue.kind = 'refund'
  and (
      overdue.is_certain
      -- An open finding that cannot be evaluated stays open; no new one is
      -- made.
      or overdue.subject in (
          select subject from temp.carried where code = 'REFUND_NOT_SETTLED'
      )
  )
order by overdue.subject
