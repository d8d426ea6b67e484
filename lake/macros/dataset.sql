{# The rows of a table of the dataset, with its partition columns, as the engine reads them. #}
{% macro part(table) -%}
{%- if target.type == 'duckdb' -%}
read_parquet('{{ var("dataset") }}/{{ table }}/*/*/part.parquet', hive_partitioning = true, hive_types = {'business_date': date, 'shard': varchar})
{%- else -%}
parquet.`{{ var("dataset") }}/{{ table }}`
{%- endif -%}
{%- endmacro %}

{# The manifests: one row for each partition that is whole. #}
{% macro manifests() -%}
{%- if target.type == 'duckdb' -%}
read_json('{{ var("dataset") }}/manifests/*/*/manifest.json', hive_partitioning = false)
{%- else -%}
json.`{{ var("dataset") }}/manifests/*/*/manifest.json`
{%- endif -%}
{%- endmacro %}

{# The rows of a table that are in a whole partition. #}
{% macro staged(table) -%}
select part.*
from {{ part(table) }} as part
inner join {{ ref('whole_partitions') }} as whole
    on whole.business_date = part.business_date
    and whole.shard = part.shard
{%- endmacro %}

{# The rows of each table, as the manifests state them. #}
{% macro stated_tables() -%}
{%- if target.type == 'duckdb' -%}
select business_date, shard, unnest(tables, recursive := false).name as name,
    unnest(tables, recursive := false).rows as row_count
from {{ manifests() }}
{%- else -%}
select business_date, shard, one.name, one.rows as row_count
from {{ manifests() }}
lateral view explode(tables) exploded as one
{%- endif -%}
{%- endmacro %}
