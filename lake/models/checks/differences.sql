-- purpose: what the recomputed checks and the program's reports do not say
-- alike, on dates for which all facts are there. What the program did not
-- evaluate for a merchant is left out, and so is a check that is off.
-- grain: one business date, check and subject.
with
exported as (
    select
        found.business_date,
        found.code,
        found.merchant_id,
        found.subject,
        found.expected,
        found.actual
    from {{ ref('stg_discrepancies') }} as found
    inner join {{ ref('recomputed_codes') }} as codes on codes.code = found.code
    inner join {{ ref('report_dates') }} as dates
        on dates.business_date = found.business_date
        and dates.is_certain
    where found.status in ('new', 'open', 'accepted')
        and not (found.code = 'BATCH_WITHOUT_DEPOSIT' and found.expected <= 0)
),
recomputed as (
    select distinct found.*
    from {{ ref('recomputed') }} as found
    inner join {{ ref('stg_checks') }} as evaluated
        on evaluated.business_date = found.business_date
        and evaluated.code = found.code
    where found.is_certain
),
both_sides as (
    select
        coalesce(exported.business_date, recomputed.business_date)
            as business_date,
        coalesce(exported.code, recomputed.code) as code,
        coalesce(exported.merchant_id, recomputed.merchant_id) as merchant_id,
        coalesce(exported.subject, recomputed.subject) as subject,
        exported.expected as exported_expected,
        exported.actual as exported_actual,
        recomputed.expected as recomputed_expected,
        recomputed.actual as recomputed_actual,
        exported.code is null as is_only_recomputed,
        recomputed.code is null as is_only_exported
    from exported
    full outer join recomputed
        on recomputed.business_date = exported.business_date
        and recomputed.code = exported.code
        and recomputed.merchant_id = exported.merchant_id
        and recomputed.subject = exported.subject
)
select both_sides.*
from both_sides
where (
        is_only_recomputed
        or is_only_exported
        or exported_expected <> recomputed_expected
        or exported_actual <> recomputed_actual
    )
    and not exists (
        select 1 from {{ ref('stg_not_evaluated') }} as untold
        where untold.business_date = both_sides.business_date
            and untold.code = both_sides.code
            and coalesce(untold.merchant_id, both_sides.merchant_id)
                = both_sides.merchant_id
    )
