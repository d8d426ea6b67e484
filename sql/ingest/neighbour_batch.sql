-- A batch of a merchant of another shard, as it was listed last.
insert into neighbour_batch (batch_id, listing_id, reading, merchant_id, day, currency)
values (:batch_id, :listing_id, :reading, :merchant_id, :day, :currency)
on conflict (batch_id) do update set
    listing_id = excluded.listing_id,
    reading = excluded.reading,
    merchant_id = excluded.merchant_id,
    day = excluded.day,
    currency = excluded.currency
where excluded.reading >= neighbour_batch.reading
