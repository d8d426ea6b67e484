-- purpose: disputes that wait for the merchant, and have waited long enough.
-- grain: one business date and dispute.
select
    dispute.business_date,
    'DISPUTE_OPEN' as code,
    dispute.merchant_id,
    cast(dispute.dispute_id as string) as subject,
    dispute.currency,
    cast(0 as bigint) as expected,
    dispute.amount_minor as actual
from {{ ref('disputes_as_of') }} as dispute
inner join {{ ref('banking_days') }} as passed
    on passed.calendar = dispute.calendar
    and passed.banking_day > dispute.status_date
    and passed.banking_day <= dispute.business_date
where dispute.status in (
        'new', 'prearbitrationInProcess', 'precomplianceInProcess'
    )
group by
    dispute.business_date, dispute.merchant_id, dispute.dispute_id,
    dispute.currency, dispute.amount_minor
having count(*) >= {{ var('dispute_days', 5) }}
