-- purpose: keep the newest content of a batch header.
-- grain: one batch; changes no row when this reading or a newer one holds it
-- already.
insert into batch (
    batch_id, day, merchant_id, sale_amount_minor, return_amount_minor,
    transaction_count, currency, reading, first_reading, content
) values (
    :batch_id, :day, :merchant_id, :sale_amount_minor, :return_amount_minor,
    :transaction_count, :currency, :reading, :reading, :content
)
on conflict (batch_id) do update set
    -- A record read by its id may carry no date; then it keeps the day it was
    -- listed under.
    day = case excluded.day when '' then batch.day else excluded.day end,
    merchant_id = excluded.merchant_id,
    sale_amount_minor = excluded.sale_amount_minor,
    return_amount_minor = excluded.return_amount_minor,
    transaction_count = excluded.transaction_count,
    currency = excluded.currency,
    reading = excluded.reading,
    content = excluded.content,
    gone_in = null
where batch.reading < excluded.reading
