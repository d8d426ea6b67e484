-- purpose: the tables of the store, without those of litestream.
-- grain: one table.
select name
from main.sqlite_schema
where type = 'table'
  and name not like 'sqlite_%'
  and name not like '\_litestream\_%' escape '\'
order by name
