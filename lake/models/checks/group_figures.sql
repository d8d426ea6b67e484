-- purpose: what a group's batches state and what its deposits paid by a date.
-- Where a key lists which deposit holds a transaction, the level below is
-- another, and the group is left out.
-- grain: one business date, merchant, currency and group.
with
batches as (
    select
        merchant.business_date,
        grouped.merchant_id,
        grouped.currency,
        grouped.group_date,
        merchant.start_date,
        merchant.calendar,
        merchant.payout_days,
        max(grouped.batch_date) as last_date,
        sum(batch.sale_amount_minor) as sales,
        sum(batch.return_amount_minor) as returns,
        sum(batch.transaction_count) as items
    from {{ ref('checked_merchants') }} as merchant
    inner join {{ ref('groups') }} as grouped
        on grouped.merchant_id = merchant.merchant_id
        and grouped.batch_date <= merchant.business_date
    inner join {{ ref('stg_batches') }} as batch
        on batch.merchant_id = grouped.merchant_id
        and batch.currency = grouped.currency
        and batch.business_date = grouped.batch_date
    where not exists (
        select 1 from {{ ref('stg_transactions') }} as linked
        where linked.merchant_id = grouped.merchant_id
    )
    group by
        merchant.business_date, grouped.merchant_id, grouped.currency,
        grouped.group_date, merchant.start_date, merchant.calendar,
        merchant.payout_days
),
-- Deposits that the bank does not show and that were sent again with the same
-- figures: each counts until the bank credits the later one.
sent_again as (
    select
        deposit.ach_deposit_id,
        min(credited.bank_date) as credited_on
    from {{ ref('stg_deposits') }} as deposit
    inner join {{ ref('stg_deposits') }} as again
        on again.merchant_id = deposit.merchant_id
        and again.association_date = deposit.association_date
        and again.ach_deposit_id > deposit.ach_deposit_id
        and again.sales_minor = deposit.sales_minor
        and again.returns_minor = deposit.returns_minor
        and again.net_amount_minor = deposit.net_amount_minor
    inner join {{ ref('stg_bank_matches') }} as credited
        on credited.ach_deposit_id = again.ach_deposit_id
    inner join {{ ref('stg_discrepancies') }} as found
        on found.code = 'DEPOSIT_NOT_IN_BANK'
        and found.subject = cast(deposit.ach_deposit_id as string)
    where credited.bank_date is not null
    group by deposit.ach_deposit_id
),
paid as (
    select
        deposit.business_date as paid_on,
        deposit.merchant_id,
        coalesce(verdict.currency, deposit.currency) as currency,
        coalesce(
            cast(substring(verdict.pays_for, 1, 10) as date),
            deposit.association_date
        ) as group_date,
        deposit.sales_minor,
        deposit.returns_minor,
        deposit.transactions,
        sent_again.credited_on
    from {{ ref('stg_deposits') }} as deposit
    left join {{ ref('stg_deposit_verdicts') }} as verdict
        on verdict.business_date = deposit.business_date
        and verdict.ach_deposit_id = deposit.ach_deposit_id
    left join sent_again
        on sent_again.ach_deposit_id = deposit.ach_deposit_id
),
deposits as (
    select
        batches.business_date,
        batches.merchant_id,
        batches.currency,
        batches.group_date,
        count(*) as deposits,
        max(paid.paid_on) as last_paid_on,
        sum(paid.sales_minor) as sales,
        sum(paid.returns_minor) as returns,
        sum(paid.transactions) as items
    from batches
    inner join paid
        on paid.merchant_id = batches.merchant_id
        -- A deposit of before the start has no report that says its currency.
        and coalesce(paid.currency, batches.currency) = batches.currency
        and paid.group_date = batches.group_date
        and paid.paid_on <= batches.business_date
        and (
            paid.credited_on is null
            or paid.credited_on > batches.business_date
        )
    group by
        batches.business_date, batches.merchant_id, batches.currency,
        batches.group_date
)
select
    batches.business_date,
    batches.start_date,
    batches.merchant_id,
    batches.currency,
    batches.group_date,
    concat(
        batches.merchant_id, '/', batches.currency, '/',
        cast(batches.group_date as string)
    ) as subject,
    calendar.due_date <= batches.business_date as is_due,
    coalesce(deposits.deposits, 0) as deposits,
    deposits.last_paid_on >= batches.start_date as is_paid_since_start,
    batches.sales as batch_sales,
    batches.returns as batch_returns,
    batches.items as batch_items,
    deposits.sales as deposit_sales,
    deposits.returns as deposit_returns,
    deposits.items as deposit_items
from batches
inner join {{ ref('stg_calendar') }} as calendar
    on calendar.business_date = batches.last_date
    and calendar.calendar = batches.calendar
    and calendar.days = batches.payout_days
inner join {{ ref('stg_merchants') }} as merchant
    on merchant.merchant_id = batches.merchant_id
    and merchant.business_date = batches.last_date
    and merchant.shard = calendar.shard
left join deposits
    on deposits.business_date = batches.business_date
    and deposits.merchant_id = batches.merchant_id
    and deposits.currency = batches.currency
    and deposits.group_date = batches.group_date
