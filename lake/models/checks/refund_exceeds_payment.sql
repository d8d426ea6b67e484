-- purpose: payments of which more was refunded than they brought in. A payment
-- and those that present it again are one. Refunds that stand in their
-- payment's own list alone are not in the dataset.
-- grain: one business date and payment.
with
-- A payment with the one that it presents again, three times at the most.
chains as (
    select
        payment.merchant_id,
        payment.transfer_id as payment_id,
        coalesce(
            third.transfer_id, second.transfer_id, first.transfer_id,
            payment.transfer_id
        ) as root_id,
        payment.business_date as run_date,
        payment.currency,
        payment.status,
        payment.amount_minor
    from {{ ref('stg_bank_transfers') }} as payment
    left join {{ ref('stg_bank_transfers') }} as first
        on first.representment_id = payment.transfer_id
        and first.kind = 'payment'
    left join {{ ref('stg_bank_transfers') }} as second
        on second.representment_id = first.transfer_id
        and second.kind = 'payment'
    left join {{ ref('stg_bank_transfers') }} as third
        on third.representment_id = second.transfer_id
        and third.kind = 'payment'
    where payment.kind = 'payment'
),
came_back as (
    select
        merchant.business_date,
        chains.root_id,
        sum(returned.amount_minor) as amount_minor,
        max(returned.business_date) as newest
    from {{ ref('checked_merchants') }} as merchant
    inner join {{ ref('stg_transfer_returns') }} as returned
        on returned.merchant_id = merchant.merchant_id
        and returned.business_date <= merchant.business_date
    inner join chains on chains.payment_id = returned.payment_id
    group by merchant.business_date, chains.root_id
),
brought_in as (
    select
        merchant.business_date,
        merchant.start_date,
        chains.merchant_id,
        chains.root_id,
        min(chains.currency) as currency,
        sum(
            case
                when chains.status in (
                    'declined', 'referral', 'pickup', 'expired', 'reversal'
                ) then 0
                else chains.amount_minor
            end
        ) as amount_minor
    from {{ ref('checked_merchants') }} as merchant
    inner join chains
        on chains.merchant_id = merchant.merchant_id
        and chains.run_date <= merchant.business_date
    group by
        merchant.business_date, merchant.start_date, chains.merchant_id,
        chains.root_id
),
refunds as (
    select
        merchant.business_date,
        chains.root_id,
        sum(refund.amount_minor) as amount_minor,
        max(refund.business_date) as newest
    from {{ ref('checked_merchants') }} as merchant
    inner join {{ ref('stg_bank_transfers') }} as refund
        on refund.merchant_id = merchant.merchant_id
        and refund.business_date <= merchant.business_date
    inner join chains on chains.payment_id = refund.payment_id
    where refund.kind = 'refund'
        and refund.status not in (
            'declined', 'reversal', 'returned', 'expired', 'referral',
            'pickup'
        )
    group by merchant.business_date, chains.root_id
)
select
    brought_in.business_date,
    'REFUND_EXCEEDS_PAYMENT' as code,
    brought_in.merchant_id,
    brought_in.root_id as subject,
    brought_in.currency,
    cast(
        brought_in.amount_minor - coalesce(came_back.amount_minor, 0) as bigint
    ) as expected,
    cast(refunds.amount_minor as bigint) as actual
from brought_in
inner join refunds
    on refunds.business_date = brought_in.business_date
    and refunds.root_id = brought_in.root_id
left join came_back
    on came_back.business_date = brought_in.business_date
    and came_back.root_id = brought_in.root_id
where refunds.amount_minor
        > brought_in.amount_minor - coalesce(came_back.amount_minor, 0)
    and (
        refunds.newest >= brought_in.start_date
        or came_back.newest >= brought_in.start_date
    )
