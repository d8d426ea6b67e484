-- purpose: fees listed for a date that name no deposit, or none that is known.
-- grain: one business date and fee line.
with lines as (
    select
        fee.*,
        row_number() over (
            partition by fee.business_date, fee.merchant_id,
                fee.ach_deposit_id, fee.description, fee.amount_minor
            order by fee.ordinal
        ) as place
    from {{ ref('stg_fees') }} as fee
    where fee.listed_by = 'date'
)
select
    merchant.business_date,
    'FEE_WITHOUT_DEPOSIT' as code,
    lines.merchant_id,
    concat(
        lines.listed_for, '/', coalesce(cast(lines.ach_deposit_id as string), ''),
        '/', coalesce(lines.description, ''), '/',
        coalesce(cast(lines.amount_minor as string), ''), '/',
        cast(lines.place as string)
    ) as subject,
    lines.currency,
    cast(0 as bigint) as expected,
    lines.amount_minor as actual
from {{ ref('checked_merchants') }} as merchant
inner join lines
    on lines.merchant_id = merchant.merchant_id
    and lines.business_date
        between merchant.start_date and merchant.business_date
where not exists (
    select 1 from {{ ref('stg_deposits') }} as deposit
    where deposit.ach_deposit_id = lines.ach_deposit_id
)
