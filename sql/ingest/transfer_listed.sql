-- purpose: note that a bank transfer stood in a listing.
-- grain: one bank transfer in one listing; changes no row when this reading saw it before.
insert into transfer_listed (listing_id, kind, transfer_id, reading, first_reading)
values (:listing_id, :kind, :transfer_id, :reading, :reading)
on conflict (listing_id, transfer_id) do update set
    kind = excluded.kind,
    reading = excluded.reading
where transfer_listed.reading < excluded.reading
