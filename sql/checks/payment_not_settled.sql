-- code: PAYMENT_NOT_SETTLED
-- severity: error
-- figure: amount
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
select
    transfer.merchant_id,
    transfer.transfer_id as subject,
    transfer.currency,
    transfer.amount_minor as expected,
    0 as actual,
    transfer.run_date as batch_date,
    transfer.transfer_id as payment_id,
    transfer.order_id,
    transfer.status,
    transfer.due_date,
    case
        -- One that has left the look-back can be told no more, and stays open.
        when not transfer.is_certain
            and transfer.run_date
                >= date(asof.business_date, '-' || asof.lookback_days
                    || ' days')
            then 'the bank transfers of terminal ' || transfer.terminal_id
                || ' settled since ' || transfer.run_date
                    || ' were not read completely'
        when transfer.amount_minor is null or transfer.currency is null
            then 'payment ' || transfer.transfer_id
                || ' has no amount or currency'
    end as problem
from temp.unsettled as transfer
cross join temp.asof as asof
where transfer.kind = 'payment'
  and transfer.due_date <= asof.business_date
  and (
      transfer.is_certain
      -- One that was open and cannot be told stays open; one that never was is
      -- not accused.
      or transfer.transfer_id in
          (select subject from temp.carried where code = 'PAYMENT_NOT_SETTLED')
  )
union all
-- What the API does not publish, or leaves out, cannot be evaluated and is
-- never silent.
select
    transfer.merchant_id,
    transfer.transfer_id as subject,
    transfer.currency,
    transfer.amount_minor as expected,
    0 as actual,
    transfer.run_date as batch_date,
    transfer.transfer_id as payment_id,
    transfer.order_id,
    transfer.status,
    transfer.due_date,
    transfer.problem
from temp.undecided as transfer
where transfer.kind = 'payment' and transfer.problem is not null
order by subject
