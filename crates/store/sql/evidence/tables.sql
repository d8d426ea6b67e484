-- purpose: the tables of the store.
-- grain: one table.
select name
from main.sqlite_schema
where type = 'table'
  and name not like 'sqlite_%'
order by name
