-- code: DUPLICATE_TRANSACTION
-- severity: error
-- figure: amount
-- subject: extra authorization
-- names: batch
-- needs: authorizations
-- reopens: cards
-- means: The same transaction stands under more than one authorization of a merchant.
-- explanation: Transaction {transaction_id} stands under authorization {standing_id} and again under authorization {authorization_id}, for {actual} {currency}.
-- action: Make sure that the customer was charged once; have the extra authorization removed.
-- grain: one extra authorization.
select
    item.merchant_id,
    cast(item.authorization_id as text) as subject,
    item.currency,
    0 as expected,
    case when item.transaction_type = 'return'
        then abs(item.amount_minor) else item.amount_minor end as actual,
    item.day as batch_date,
    item.batch_id,
    item.authorization_id,
    item.transaction_id,
    extra.standing_id,
    case when item.amount_minor is null
        then 'authorization ' || item.authorization_id || ' has no amount' end as problem
from temp.extra_authorizations as extra
inner join owned_authorization as item on item.authorization_id = extra.extra_id
inner join owned_authorization as standing on standing.authorization_id = extra.standing_id
inner join temp.merchants as merchants
    on merchants.merchant_id = item.merchant_id and merchants.is_checked
where item.day in (select day from temp.judged_days)
   or standing.day in (select day from temp.judged_days)
   or cast(item.authorization_id as text) in (
       select subject from temp.carried where code = 'DUPLICATE_TRANSACTION'
   )
order by item.authorization_id
