-- code: SETTLED_DESPITE_STATUS
-- severity: error
-- figure: amount
-- subject: payment or refund
-- names: payment
-- needs: bank-transfer-payments/settled bank-transfer-refunds/settled
--   bank-transfer-payments/returned
-- means: A payment or refund that was refused or reversed is in a settled
--   listing all the same.
-- explanation: {named} of {actual} {currency} has status {status}, but settled
--   on {batch_date}.
-- named payment: Payment {payment_id}
-- named refund: Refund {refund_id}
-- action: Ask the processor whether money moved; if it did, have the status or
--   the settlement corrected.
-- grain: one bank transfer.
select
    transfer.merchant_id,
    transfer.kind || '/' || transfer.transfer_id as subject,
    transfer.currency,
    0 as expected,
    transfer.amount_minor as actual,
    transfer.settled_day as batch_date,
    case transfer.kind when 'payment' then transfer.transfer_id end
        as payment_id,
    case transfer.kind when 'refund' then transfer.transfer_id end as refund_id,
    transfer.order_id,
    transfer.status,
    transfer.kind as named,
    case when transfer.amount_minor is null or transfer.currency is null
        then json_array(
            'transfer_without_amount', transfer.kind, transfer.transfer_id
        )
    end as problem
from temp.transfers as transfer
where transfer.status
    in ('declined', 'reversal', 'referral', 'pickup', 'expired')
  and transfer.settled_day is not null
  and not transfer.is_return
  and transfer.transfer_type <> 'accountVerification'
  and (
      transfer.settled_day in (select day from temp.judged_days)
      or transfer.kind || '/' || transfer.transfer_id in (
          select subject from temp.carried where code = 'SETTLED_DESPITE_STATUS'
      )
  )
order by transfer.kind, transfer.transfer_id
