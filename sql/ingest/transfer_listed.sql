-- purpose: note that a bank transfer stood in a listing.
-- grain: one bank transfer in one listing; changes no row when this reading saw it before.
-- A listing is one of payments or one of refunds: its kind never changes, and to set it would have
-- every row checked as if its bank transfer might be another one.
insert into transfer_listed (listing_id, kind, transfer_id, reading, first_reading)
values (:listing_id, :kind, :transfer_id, :reading, :reading)
on conflict (listing_id, transfer_id) do update set
    reading = excluded.reading
where transfer_listed.reading < excluded.reading
