-- A deposit of a merchant of another shard, as it was listed last.
insert into neighbour_deposit (
    ach_deposit_id, listing_id, reading, merchant_id, day, association_date, ach_date,
    payment_date, net_amount_minor
)
values (
    :ach_deposit_id, :listing_id, :reading, :merchant_id, :day, :association_date, :ach_date,
    :payment_date, :net_amount_minor
)
on conflict (ach_deposit_id) do update set
    listing_id = excluded.listing_id,
    reading = excluded.reading,
    merchant_id = excluded.merchant_id,
    day = excluded.day,
    association_date = excluded.association_date,
    ach_date = excluded.ach_date,
    payment_date = excluded.payment_date,
    net_amount_minor = excluded.net_amount_minor
where excluded.reading >= neighbour_deposit.reading
