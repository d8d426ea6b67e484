-- purpose: bank transfers that were refused or reversed, and settled.
-- grain: one business date and bank transfer.
select
    merchant.business_date,
    'SETTLED_DESPITE_STATUS' as code,
    item.merchant_id,
    concat(item.kind, '/', item.transfer_id) as subject,
    min(item.currency) as currency,
    cast(0 as bigint) as expected,
    min(item.amount_minor) as actual
from {{ ref('checked_merchants') }} as merchant
inner join {{ ref('transfer_items') }} as item
    on item.merchant_id = merchant.merchant_id
    and item.business_date
        between merchant.start_date and merchant.business_date
where item.status in ('declined', 'reversal', 'referral', 'pickup', 'expired')
group by
    merchant.business_date, item.merchant_id, item.kind, item.transfer_id
