-- Which share of the merchants the store holds: a shard, 'whole', or null for a
-- new store.
select coalesce(
    (select name from shard),
    (select 'whole' from business_day limit 1)
) as name
