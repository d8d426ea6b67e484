{# Batches whose header differs from their items in one figure. #}
{% macro batch_mismatch(code, items, header) -%}
select
    merchant.business_date,
    '{{ code }}' as code,
    figures.merchant_id,
    case
        when figures.batches = 1 then cast(figures.batch_id as string)
        else concat(
            figures.merchant_id, '/', figures.currency, '/',
            cast(figures.business_date as string)
        )
    end as subject,
    figures.currency,
    cast(figures.{{ items }} as bigint) as expected,
    cast(figures.{{ header }} as bigint) as actual
from {{ ref('checked_merchants') }} as merchant
inner join {{ ref('batch_figures') }} as figures
    on figures.merchant_id = merchant.merchant_id
    and figures.business_date
        between merchant.start_date and merchant.business_date
where figures.{{ items }} <> figures.{{ header }}
    -- More in the header may be bank transfers that nobody asked for.
    and (
        merchant.names_terminals
        or figures.{{ items }} > figures.{{ header }}
    )
{%- endmacro %}

{# Groups whose deposits pay another figure than their batches state. #}
{% macro deposit_mismatch(code, figure) -%}
select
    business_date,
    '{{ code }}' as code,
    merchant_id,
    subject,
    currency,
    cast(batch_{{ figure }} as bigint) as expected,
    cast(deposit_{{ figure }} as bigint) as actual
from {{ ref('group_figures') }}
where deposits > 0
    and (group_date >= start_date or is_paid_since_start)
    and (
        deposit_{{ figure }} > batch_{{ figure }}
        or (deposit_{{ figure }} < batch_{{ figure }} and is_due)
    )
{%- endmacro %}
