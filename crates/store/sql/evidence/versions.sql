-- purpose: the earlier versions of a record, oldest first.
-- grain: one version; ?1 kind, ?2 id.
select
    version.content,
    version.was_gone,
    fetch_session.business_date as changed_in
from record_version as version
left join reading on reading.reading_id = version.replaced_in
left join fetch_session on fetch_session.session = abs(reading.session)
where version.kind = ?1
  and version.id = ?2
order by version.replaced_in
