-- code: CAPTURE_EXCEEDS_AUTHORIZATION
-- severity: warning
-- figure: amount
-- subject: authorization
-- names: batch
-- carried: no
-- needs: authorizations
-- means: The captures of an authorization add up to more than was authorized and capture_tolerance_percent allows. Nothing can undo it: it is reported on one date alone.
-- explanation: Authorization {authorization_id} was for {expected} {currency}, but {actual} {currency} were captured.
-- action: Check for a tip or an incremental authorization; else refund the difference before the card holder disputes it. For a merchant that takes tips set capture_tolerance_percent.
-- grain: one authorization.
with
captures as (
    select
        item.merchant_id,
        item.authorization_id,
        min(item.currency) as currency,
        max(item.preauthorization_minor) as authorized_minor,
        sum(item.amount_minor) as captured_minor,
        max(item.amount_minor is null) as has_unknown_amount,
        max(item.day) as batch_date,
        group_concat(distinct item.batch_id) as batch_ids,
        min(item.transaction_id) as transaction_id
    from temp.doubtful_cards as scope
    cross join temp.asof as asof
    cross join owned_authorization as item
        on item.authorization_id = scope.authorization_id
    where item.gone_in is null
      and item.transaction_type = 'capture'
      and item.day <= asof.business_date
      and item.preauthorization_minor > 0
    group by item.merchant_id, item.authorization_id
)
select
    captures.merchant_id,
    cast(captures.authorization_id as text) as subject,
    captures.currency,
    captures.authorized_minor as expected,
    captures.captured_minor as actual,
    captures.batch_date,
    replace(captures.batch_ids, ',', ';') as batch_id,
    captures.authorization_id,
    captures.transaction_id,
    case when captures.has_unknown_amount
        then 'authorization ' || captures.authorization_id
            || ' has no amount' end as problem
from captures
inner join temp.merchants as merchants
    on merchants.merchant_id = captures.merchant_id and merchants.is_checked
where captures.has_unknown_amount
   or captures.captured_minor * 100
       > captures.authorized_minor * (100 + merchants.capture_tolerance_percent)
order by captures.authorization_id
