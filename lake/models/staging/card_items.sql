-- purpose: the card items: a transaction counts once for each merchant, under
-- its lowest authorization.
-- grain: one authorization with one of its transactions.
with numbered as (
    select
        item.*,
        row_number() over (
            partition by item.merchant_id, item.transaction_id
            order by item.authorization_id
        ) as place
    from {{ ref('stg_authorizations') }} as item
    where item.transaction_id is not null
)
select
    business_date,
    authorization_id,
    merchant_id,
    batch_id,
    currency,
    transaction_id,
    transaction_type,
    case when transaction_type = 'return'
        then abs(amount_minor) else amount_minor end as amount_minor,
    place
from numbered
