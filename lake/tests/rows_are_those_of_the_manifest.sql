-- Fails where a table holds other rows of a partition than its manifest says.
{% set tables = ['deposits', 'batches', 'authorizations', 'discrepancies', 'deposit_verdicts', 'summary'] %}
with
stated as (
    select
        cast(manifest.business_date as date) as business_date,
        manifest.shard,
        one.name,
        one.row_count
    from (
        {{ stated_tables() }}
    ) as one
    inner join {{ manifests() }} as manifest
        on manifest.business_date = one.business_date and manifest.shard = one.shard
),
found as (
    {% for table in tables %}
    select business_date, shard, '{{ table }}' as name, count(*) as row_count
    from {{ ref('stg_' ~ table) }}
    group by business_date, shard
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
)
select stated.*
from stated
left join found
    on found.business_date = stated.business_date
    and found.shard = stated.shard
    and found.name = stated.name
where stated.name in ({% for table in tables %}'{{ table }}'{% if not loop.last %}, {% endif %}{% endfor %})
    and stated.row_count <> coalesce(found.row_count, 0)
