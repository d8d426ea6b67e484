-- code: DUPLICATE_TRANSACTION
-- severity: error
-- figure: amount
-- subject: extra authorization, or bank transfer
-- names: batch
-- needs: authorizations
-- reopens: cards
-- means: The same transaction stands under more than one authorization of a
--   merchant, or one bank transfer settled on two dates.
-- explanation: {named}, for {actual} {currency}.
-- named transaction: Transaction {transaction_id} is listed under authorization
--   {first_id} and again under authorization {authorization_id}
-- named transactions: Transactions {transaction_id} are listed under
--   authorization {first_id} and again under authorization {authorization_id}
-- named payment: Payment {payment_id} is listed as settled on {first_day} and
--   again on {batch_date}
-- named refund: Refund {refund_id} is listed as settled on {first_day} and
--   again on {batch_date}
-- action: Make sure that the customer was charged once and the merchant is paid
--   once; have the processor remove the extra one.
-- grain: one extra authorization, or one bank transfer and its second date.

-- purpose: bank transfers that a second date lists as settled.
-- grain: one bank transfer.
create temp view transfers_settled_twice as
select
    transfer.merchant_id,
    transfer.kind || '/' || transfer.transfer_id as subject,
    transfer.currency,
    0 as expected,
    transfer.amount_minor as actual,
    min(again.settled_day) as batch_date,
    '' as batch_id,
    '' as authorization_id,
    '' as transaction_id,
    case transfer.kind when 'payment' then transfer.transfer_id else '' end
        as payment_id,
    case transfer.kind when 'refund' then transfer.transfer_id else '' end
        as refund_id,
    transfer.order_id,
    transfer.kind as named,
    transfer.settled_day as first_day,
    case when transfer.amount_minor is null or transfer.currency is null
        then json_array(
            'transfer_without_amount', transfer.kind, transfer.transfer_id
        )
    end as problem
from temp.settled_again as again
inner join temp.transfers as transfer
    on transfer.transfer_number = again.transfer_number
where not transfer.is_return
  and transfer.transfer_type <> 'accountVerification'
group by transfer.transfer_number
having max(again.settled_day in (select day from temp.judged_days))
    or max(transfer.transfer_number in
        (select transfer_number from temp.late_settled))
    or transfer.kind || '/' || transfer.transfer_id in (
        select subject from temp.carried where code = 'DUPLICATE_TRANSACTION'
    );

select
    item.merchant_id,
    cast(item.authorization_id as text) as subject,
    min(item.currency) as currency,
    0 as expected,
    sum(case when item.transaction_type = 'return'
        then abs(item.amount_minor) else item.amount_minor end) as actual,
    min(item.day) as batch_date,
    replace(group_concat(distinct item.batch_id), ',', ';') as batch_id,
    item.authorization_id,
    group_concat(item.transaction_id, ';' order by item.transaction_id)
        as transaction_id,
    '' as payment_id,
    '' as refund_id,
    '' as order_id,
    iif(count(*) = 1, 'transaction', 'transactions') as named,
    min(extra.standing_id) as first_id,
    null as first_day,
    case when max(item.amount_minor is null)
        then json_array('authorization_without_amount', item.authorization_id)
    end as problem
from temp.extra_authorizations as extra
inner join owned_authorization as item
    on item.authorization_id = extra.extra_id
    and item.transaction_key = extra.transaction_id
inner join owned_authorization as standing
    on standing.authorization_id = extra.standing_id
    and standing.transaction_key = extra.transaction_id
inner join temp.merchants as merchants
    on merchants.merchant_id = item.merchant_id and merchants.is_checked
where item.day in (select day from temp.judged_days)
   or standing.day in (select day from temp.judged_days)
   or cast(item.authorization_id as text) in (
       select subject from temp.carried where code = 'DUPLICATE_TRANSACTION'
   )
group by item.merchant_id, item.authorization_id
union all
select merchant_id, subject, currency, expected, actual, batch_date,
    batch_id, authorization_id, transaction_id, payment_id,
    refund_id, order_id, named, null, first_day, problem
from temp.transfers_settled_twice
order by subject
