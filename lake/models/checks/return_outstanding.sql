-- purpose: returns that are neither presented again nor closed, and are due.
-- grain: one business date and return.
select
    merchant.business_date,
    'RETURN_OUTSTANDING' as code,
    returned.merchant_id,
    returned.return_id as subject,
    returned.currency,
    cast(0 as bigint) as expected,
    returned.amount_minor as actual
from {{ ref('checked_merchants') }} as merchant
inner join {{ ref('stg_transfer_returns') }} as returned
    on returned.merchant_id = merchant.merchant_id
    and returned.business_date <= merchant.business_date
inner join {{ ref('stg_calendar') }} as calendar
    on calendar.business_date = returned.business_date
    and calendar.shard = returned.shard
    and calendar.calendar = merchant.calendar
    and calendar.days = {{ var('return_days', 5) }}
where not returned.is_represented
    and not returned.is_closed
    and calendar.due_date <= merchant.business_date
