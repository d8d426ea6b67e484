-- code: RETURN_OUTSTANDING
-- severity: warning
-- figure: amount
-- money: more-is-short
-- subject: return
-- names: payment
-- needs: bank-transfer-payments/returned
-- means: A bank transfer came back and was neither presented again nor closed
--   it in time.
-- explanation: Payment {payment_id} of {actual} {currency} came back {how} and
--   should have been presented again or closed by {due_date}.
-- how dated: on {return_date} as {return_id} with {response} ({reason})
-- how undated: without a date, first listed as returned on {return_date}
-- reason unknown: no reason given
-- action: Present the payment again, or collect it in another way and close the
--   return.
-- grain: one return that is neither presented again nor closed; of a payment
--   that states none, the payment.
with
asof as (select * from temp.asof),
backs as (
    select
        returned.payment_id,
        returned.return_id,
        returned.stands_for as subject,
        returned.return_date,
        'dated' as how,
        returned.code as response,
        returned.reason,
        returned.represented
    from asof
    cross join transfer_return as returned indexed by transfer_return_open
    where returned.represented <> 1
      and returned.closed = 0
      and returned.effect = 1
      and returned.return_date <= asof.business_date
      and (
          returned.undone_on is null
          or returned.undone_on > asof.business_date
      )
    union all
    select
        payment.transfer_id,
        payment.transfer_id,
        payment.transfer_id,
        undated.came_back_on,
        'undated',
        null,
        null,
        payment.representment_id is not null
    from temp.undated_returns as undated
    cross join bank_transfer as payment
        on payment.transfer_number = undated.transfer_number
    where payment.kind = 'payment'
)
select
    payment.merchant_id,
    backs.subject,
    payment.currency,
    0 as expected,
    payment.amount_minor as actual,
    payment.told_day as batch_date,
    payment.transfer_id as payment_id,
    payment.order_id,
    backs.how,
    backs.return_id,
    backs.return_date,
    backs.response,
    backs.reason,
    due(backs.return_date, asof.return_days, merchants.calendar) as due_date,
    case when payment.amount_minor is null or payment.currency is null
        then json_array(
            'transfer_without_amount', 'payment', payment.transfer_id
        )
    when backs.represented = 2
        then json_array('return_unclear', backs.return_id, payment.transfer_id)
    end as problem
from backs
cross join asof
inner join temp.transfers as payment
    on payment.transfer_id = backs.payment_id and payment.kind = 'payment'
inner join temp.merchants as merchants
    on merchants.merchant_id = payment.merchant_id
where backs.represented <> 1
  and due(backs.return_date, asof.return_days, merchants.calendar)
      <= asof.business_date
order by backs.return_id
