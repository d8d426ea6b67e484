-- purpose: point a listing at the reading that begins.
-- grain: one listing; ?1 resource, ?2 selector, ?3 business date, ?4 scope, ?5 reading.
insert into listing (resource, selector, business_date, scope, reading_id)
values (?1, ?2, ?3, ?4, ?5)
on conflict (resource, selector, business_date, scope)
do update set reading_id = excluded.reading_id
returning listing_id
