-- purpose: transactions that stand under more than one authorization: each
-- authorization but the lowest is extra. And bank transfers that stand in the
-- settled listings of two dates, from the second on.
-- grain: one business date and extra authorization, or bank transfer.
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
union all
select
    merchant.business_date,
    'DUPLICATE_TRANSACTION' as code,
    item.merchant_id,
    concat(item.kind, '/', item.transfer_id) as subject,
    min(item.currency) as currency,
    cast(0 as bigint) as expected,
    max(item.amount_minor) as actual
from {{ ref('checked_merchants') }} as merchant
inner join {{ ref('transfer_items') }} as item
    on item.merchant_id = merchant.merchant_id
    and item.business_date
        between merchant.start_date and merchant.business_date
group by
    merchant.business_date, item.merchant_id, item.kind, item.transfer_id
having count(distinct item.business_date) > 1
