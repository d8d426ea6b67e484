-- purpose: note that a bank transfer was in a listing, with its content there.
-- grain: one bank transfer in one listing; changes no row when this reading saw
-- it before.
insert into transfer_listed (listing_id, transfer_number, reading,
    first_reading, content, is_settled)
values (:listing_id, :transfer_number, :reading, :reading, :content,
    :is_settled)
on conflict (listing_id, transfer_number) do update set
    reading = excluded.reading,
    content = excluded.content
where transfer_listed.reading < excluded.reading
