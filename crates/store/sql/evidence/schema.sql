-- purpose: every part of the schema of the store.
-- grain: one table, index, view or trigger.
select
    cast(type as text) as kind,
    cast(name as text) as name,
    cast(coalesce(tbl_name, '') as text) as of_table,
    cast(coalesce(sql, '') as text) as definition
from main.sqlite_schema
order by type, name
