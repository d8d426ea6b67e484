-- purpose: deposits that pay something for a day without a batch. Which days a
-- deposit pays for is taken as exported.
-- grain: one business date and deposit.
select
    merchant.business_date,
    'DEPOSIT_WITHOUT_BATCH' as code,
    deposit.merchant_id,
    cast(deposit.ach_deposit_id as string) as subject,
    deposit.currency,
    cast(0 as bigint) as expected,
    deposit.sales_minor - deposit.returns_minor as actual
from {{ ref('checked_merchants') }} as merchant
inner join {{ ref('stg_deposits') }} as deposit
    on deposit.merchant_id = merchant.merchant_id
    and deposit.business_date
        between merchant.start_date and merchant.business_date
left join {{ ref('stg_deposit_verdicts') }} as verdict
    on verdict.business_date = deposit.business_date
    and verdict.ach_deposit_id = deposit.ach_deposit_id
where (
        deposit.sales_minor <> 0
        or deposit.returns_minor <> 0
        or deposit.transactions <> 0
    )
    and not exists (
        select 1 from {{ ref('stg_batches') }} as batch
        where batch.merchant_id = deposit.merchant_id
            and (
                batch.business_date = deposit.association_date
                or verdict.pays_for
                    like concat('%', cast(batch.business_date as string), '%')
            )
    )
