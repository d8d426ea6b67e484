-- purpose: merchants of whose bank transfers settled on a date most ran, by the
-- local date, after it or before the banking day before it.
-- grain: one business date and merchant.
with
-- One that two dates hold is settled on the first.
settled as (
    select
        merchant_id,
        kind,
        transfer_id,
        min(business_date) as business_date,
        min(run_date) as run_date
    from {{ ref('stg_settled_transfers') }}
    where run_date is not null
    group by merchant_id, kind, transfer_id
),
transfers as (
    select
        merchant.merchant_id,
        merchant.calendar,
        settled.business_date,
        settled.kind,
        settled.transfer_id,
        settled.run_date
    from settled
    inner join {{ ref('checked_merchants') }} as merchant
        on merchant.merchant_id = settled.merchant_id
        and merchant.business_date = settled.business_date
),
days as (
    select
        transfers.merchant_id,
        transfers.business_date,
        transfers.kind,
        transfers.transfer_id,
        transfers.run_date,
        max(passed.banking_day) as day_before
    from transfers
    inner join {{ ref('banking_days') }} as passed
        on passed.calendar = transfers.calendar
        and passed.banking_day < transfers.business_date
    group by
        transfers.merchant_id, transfers.business_date, transfers.kind,
        transfers.transfer_id, transfers.run_date
),
doubtful as (
    select merchant_id, business_date
    from days
    group by merchant_id, business_date
    having sum(
            case when run_date > business_date or run_date < day_before
                then 1 else 0 end
        ) * 2 > count(*)
)
select distinct
    merchant.business_date,
    'TIME_ZONE_DOUBTFUL' as code,
    merchant.merchant_id,
    merchant.merchant_id as subject,
    cast(null as string) as currency,
    cast(null as bigint) as expected,
    cast(null as bigint) as actual
from {{ ref('checked_merchants') }} as merchant
inner join doubtful
    on doubtful.merchant_id = merchant.merchant_id
    and doubtful.business_date
        between merchant.start_date and merchant.business_date
