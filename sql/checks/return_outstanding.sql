-- code: RETURN_OUTSTANDING
-- severity: warning
-- figure: amount
-- subject: return
-- names: payment
-- needs: bank-transfer-payments/returned
-- means: A bank transfer came back and nobody has presented it again or closed it in time.
-- explanation: Payment {payment_id} of {actual} {currency} came back on {returned_on} as {return_id} with {return_code} ({return_reason}) and should have been presented again or closed by {due_date}.
-- action: Present the payment again, or collect it in another way and close the return.
-- grain: one return that is neither presented again nor closed.
with
asof as (select * from temp.asof)
select
    payment.merchant_id,
    returned.return_id as subject,
    payment.currency,
    0 as expected,
    payment.amount_minor as actual,
    coalesce(payment.settled_day, payment.run_date) as batch_date,
    payment.transfer_id as payment_id,
    payment.order_id,
    returned.return_id,
    returned.return_date as returned_on,
    returned.code as return_code,
    coalesce(returned.reason, 'no reason given') as return_reason,
    due(returned.return_date, asof.return_days, merchants.calendar) as due_date,
    case when payment.amount_minor is null or payment.currency is null
        then 'payment ' || payment.transfer_id || ' has no amount or currency'
    when returned.represented = 2
        then 'return ' || returned.return_id || ' of payment ' || payment.transfer_id
            || ' does not say whether it was presented again'
    end as problem
from temp.transfers as payment
cross join asof
inner join temp.merchants as merchants on merchants.merchant_id = payment.merchant_id
inner join transfer_return as returned on returned.payment_id = payment.transfer_id
where payment.kind = 'payment'
  and payment.is_in_sight
  and returned.represented <> 1
  and not returned.closed
  and returned.return_date <= asof.business_date
  and due(returned.return_date, asof.return_days, merchants.calendar) <= asof.business_date
order by returned.return_id
