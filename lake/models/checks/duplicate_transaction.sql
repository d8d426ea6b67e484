-- purpose: transactions that stand under more than one authorization: each
-- authorization but the lowest is extra.
-- grain: one business date and extra authorization.
select
    merchant.business_date,
    'DUPLICATE_TRANSACTION' as code,
    item.merchant_id,
    cast(item.authorization_id as string) as subject,
    min(item.currency) as currency,
    cast(0 as bigint) as expected,
    cast(sum(item.amount_minor) as bigint) as actual
from {{ ref('checked_merchants') }} as merchant
inner join {{ ref('card_items') }} as item
    on item.merchant_id = merchant.merchant_id
    and item.business_date
        between merchant.start_date and merchant.business_date
where item.place > 1
group by merchant.business_date, item.merchant_id, item.authorization_id
