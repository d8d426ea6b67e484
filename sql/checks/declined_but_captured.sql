-- code: DECLINED_BUT_CAPTURED
-- severity: error
-- figure: amount
-- subject: authorization
-- names: batch
-- needs: authorizations
-- means: A capture was submitted although the issuer did not approve the authorization.
-- explanation: Authorization {authorization_id} was answered with {response}, but {actual} {currency} were captured.
-- action: Void or refund the capture; a capture without approval is lost in any dispute.
-- grain: one authorization.
with scope as (
    select authorization_id from temp.doubtful_cards
    union
    select cast(authorization_id as integer)
    from temp.carried
    where code = 'DECLINED_BUT_CAPTURED'
)
select
    item.merchant_id,
    cast(item.authorization_id as text) as subject,
    item.currency,
    0 as expected,
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
  and item.authorization_response is not null
  and item.authorization_response not in (select response from temp.approvals)
order by item.authorization_id
