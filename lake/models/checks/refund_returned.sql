-- purpose: refunds that came back, unless the customer was refunded again: by
-- refunds of the same payment or order, run later, of at least the amount.
-- grain: one business date and refund.
with returned as (
    select
        merchant.business_date,
        refund.merchant_id,
        refund.transfer_id,
        refund.currency,
        refund.amount_minor,
        refund.payment_id,
        refund.order_id,
        refund.business_date as run_date
    from {{ ref('checked_merchants') }} as merchant
    inner join {{ ref('stg_bank_transfers') }} as refund
        on refund.merchant_id = merchant.merchant_id
        and refund.business_date <= merchant.business_date
    where refund.kind = 'refund'
        and refund.status = 'returned'
        -- Until then it counts as complete.
        and refund.came_back_on <= merchant.business_date
),
again as (
    select
        returned.business_date,
        returned.transfer_id,
        sum(later.amount_minor) as amount_minor
    from returned
    inner join {{ ref('stg_bank_transfers') }} as later
        on later.merchant_id = returned.merchant_id
        and later.kind = 'refund'
        and later.currency = returned.currency
        and later.transfer_id <> returned.transfer_id
        and later.business_date
            between returned.run_date and returned.business_date
        and (
            later.payment_id = returned.payment_id
            or later.order_id = returned.order_id
        )
    where later.status not in (
            'declined', 'reversal', 'returned', 'expired', 'referral',
            'pickup'
        )
    group by returned.business_date, returned.transfer_id
)
select
    returned.business_date,
    'REFUND_RETURNED' as code,
    returned.merchant_id,
    returned.transfer_id as subject,
    returned.currency,
    cast(0 as bigint) as expected,
    returned.amount_minor as actual
from returned
left join again
    on again.business_date = returned.business_date
    and again.transfer_id = returned.transfer_id
where coalesce(again.amount_minor, 0) < returned.amount_minor
