-- code: CAPTURE_EXCEEDS_AUTHORIZATION
-- severity: warning
-- figure: amount
-- subject: authorization
-- names: batch
-- needs: authorizations
-- means: A capture is larger than the amount that was authorized for it.
-- explanation: Authorization {authorization_id} was for {expected} {currency}, but {actual} {currency} were captured.
-- action: Check for a tip or an incremental authorization; else refund the difference before the card holder disputes it.
-- grain: one authorization.
with scope as (
    select authorization_id from temp.doubtful_cards
    union
    select cast(authorization_id as integer)
    from temp.carried
    where code = 'CAPTURE_EXCEEDS_AUTHORIZATION'
)
select
    item.merchant_id,
    cast(item.authorization_id as text) as subject,
    item.currency,
    item.preauthorization_minor as expected,
    item.amount_minor as actual,
    item.day as batch_date,
    item.batch_id,
    item.authorization_id,
    item.transaction_id,
    item.authorization_response as response,
    case when item.amount_minor is null
        then 'authorization ' || item.authorization_id || ' has no amount' end as problem
from scope
cross join owned_authorization as item on item.authorization_id = scope.authorization_id
inner join temp.merchants as merchants
    on merchants.merchant_id = item.merchant_id and merchants.is_checked
where item.gone_in is null
  and item.transaction_type = 'capture'
  and item.preauthorization_minor > 0
  and (item.amount_minor is null or item.amount_minor > item.preauthorization_minor)
order by item.authorization_id
