-- purpose: the disputes that are known on a date, with the status that each had
-- by then.
-- grain: one business date and dispute.
with numbered as (
    select
        merchant.business_date,
        merchant.start_date,
        merchant.merchant_id,
        merchant.calendar,
        dispute.dispute_id,
        dispute.currency,
        dispute.amount_minor,
        dispute.card_last4,
        dispute.transaction_id,
        known.status,
        known.status_date,
        row_number() over (
            partition by merchant.business_date, dispute.dispute_id
            order by known.status_date desc, known.ordinal desc
        ) as place
    from {{ ref('checked_merchants') }} as merchant
    inner join {{ ref('stg_disputes') }} as dispute
        on dispute.merchant_id = merchant.merchant_id
        and dispute.business_date <= merchant.business_date
    inner join {{ ref('stg_dispute_statuses') }} as known
        on known.dispute_id = dispute.dispute_id
        and known.status_date <= merchant.business_date
)
select
    business_date,
    start_date,
    merchant_id,
    calendar,
    dispute_id,
    currency,
    amount_minor,
    card_last4,
    transaction_id,
    status,
    status_date,
    status in (
        'representmentPaid', 'issuerReversal', 'rejected', 'invalid',
        'arbitrationFundsToBeReturned'
    ) as is_won
from numbered
where place = 1
