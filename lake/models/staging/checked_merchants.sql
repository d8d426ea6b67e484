-- purpose: the merchants that are judged on a date, with their terms.
-- grain: one business date and merchant.
select
    dates.business_date,
    dates.start_date,
    merchant.merchant_id,
    merchant.calendar,
    merchant.payout_days,
    merchant.settle_days,
    merchant.window_days,
    merchant.capture_tolerance_percent,
    merchant.names_terminals
from {{ ref('report_dates') }} as dates
inner join {{ ref('stg_merchants') }} as merchant
    on merchant.business_date = dates.business_date
where merchant.is_checked
