-- purpose: name a listing that was never read, and point it at the reading that
-- begins.
-- grain: one listing; ?1 resource, ?2 selector, ?3 business date, ?4 scope, ?5
-- reading.
insert into listing (resource, selector, business_date, scope, reading_id)
values (?1, ?2, ?3, ?4, ?5)
