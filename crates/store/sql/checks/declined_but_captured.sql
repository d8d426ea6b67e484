-- code: DECLINED_BUT_CAPTURED
-- severity: error
-- figure: amount
-- subject: authorization
-- names: batch
-- needs: authorizations
-- means: A capture was submitted although the issuer refused the authorization.
-- explanation: Authorization {authorization_id} was answered with {response},
--   but {actual} {currency} were captured.
-- action: Void or refund the capture; a capture without approval is lost in any
--   dispute.
-- grain: one authorization.
with scope as (
    select authorization_id from temp.doubtful_cards
    union
    select cast(authorization_id as integer)
    from temp.carried
    where code = 'DECLINED_BUT_CAPTURED'
),
captures as (
    select
        item.merchant_id,
        item.authorization_id,
        item.authorization_response as response,
        min(item.currency) as currency,
        sum(item.amount_minor) as captured_minor,
        max(item.amount_minor is null) as has_unknown_amount,
        max(item.day) as batch_date,
        group_concat(distinct item.batch_id order by item.batch_id)
            as batch_ids,
        group_concat(item.transaction_id, ';' order by item.transaction_id)
            as transaction_ids
    from scope
    cross join temp.asof as asof
    cross join owned_authorization as item
        on item.authorization_id = scope.authorization_id
    where item.gone_in is null
      and item.transaction_type = 'capture'
      and item.day <= asof.business_date
      and item.authorization_response is not null
      -- Approvals, and answers that are inconclusive or may be followed by an
      -- approval by voice.
      and item.authorization_response not in (
          select response from temp.card_responses
              where meaning in ('approval', 'nothing')
      )
    group by item.merchant_id, item.authorization_id,
        item.authorization_response
    -- A return since the start brings captures from before it.
    having max(item.day) >= asof.start_date
)
select
    captures.merchant_id,
    cast(captures.authorization_id as text) as subject,
    captures.currency,
    0 as expected,
    captures.captured_minor as actual,
    captures.batch_date,
    replace(captures.batch_ids, ',', ';') as batch_id,
    captures.authorization_id,
    captures.transaction_ids as transaction_id,
    captures.response,
    case
        when captures.response not in (select response from temp.card_responses)
            then json_array('unpublished_response',
                captures.authorization_id, captures.response)
        when captures.has_unknown_amount
            then json_array('authorization_without_amount',
                captures.authorization_id)
    end as problem
from captures
inner join temp.merchants as merchants
    on merchants.merchant_id = captures.merchant_id and merchants.is_checked
order by captures.authorization_id
