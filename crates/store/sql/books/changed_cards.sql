-- purpose: the days of the authorizations of a listing that came, went or
-- changed since a reading.
-- grain: one day; ?1 the listing's selector, ?2 its scope, ?3 its date, ?4 the
-- reading.
with
held as (
    select item.authorization_id, item.transaction_key, item.day,
        item.first_reading
    from authorization as item
    where ?1 = 'date' and item.day = ?3
    union all
    select item.authorization_id, item.transaction_key, item.day,
        item.first_reading
    from authorization as item
    where ?1 = 'id' and item.authorization_id = cast(?2 as integer)
    union all
    select item.authorization_id, item.transaction_key, item.day,
        item.first_reading
    from batch
    cross join authorization as item
        on item.day = batch.day and item.batch_id = batch.batch_id
    where ?1 = 'batch' and batch.batch_id = cast(?2 as integer)
)
select distinct held.day
from held
where held.first_reading > ?4
   or exists (
       select 1 from record_version as version
       where version.kind = 'authorization'
         and version.id = held.authorization_id || '/' || held.transaction_key
         and version.replaced_in > ?4
   )
