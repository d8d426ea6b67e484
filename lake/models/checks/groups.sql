-- purpose: which batch dates are one group. Taken as exported: a deposit's
-- pays_for names them; a date that none names is a group of its own.
-- grain: one merchant, currency and batch date.
with named as (
    select
        batch.merchant_id,
        batch.currency,
        batch.business_date as batch_date,
        min(substring(verdict.pays_for, 1, 10)) as group_date
    from {{ ref('stg_batches') }} as batch
    left join {{ ref('stg_deposit_verdicts') }} as verdict
        on verdict.merchant_id = batch.merchant_id
        and verdict.currency = batch.currency
        and verdict.pays_for
            like concat('%', cast(batch.business_date as string), '%')
    group by batch.merchant_id, batch.currency, batch.business_date
)
select
    merchant_id,
    currency,
    batch_date,
    coalesce(cast(group_date as date), batch_date) as group_date
from named
