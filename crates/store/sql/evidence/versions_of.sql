-- purpose: the earlier versions of a record, as they are stored.
-- grain: one version, oldest first; ?1 kind, ?2 id.
select replaced_in, reading, day, merchant_id, was_gone, content
from record_version
where kind = ?1
  and id = ?2
order by replaced_in
