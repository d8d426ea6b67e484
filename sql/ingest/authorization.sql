-- purpose: keep the newest content of an authorization.
-- grain: one authorization; changes no row when this reading or a newer one holds it already.
insert into authorization (
    authorization_id, day, merchant_id, batch_id, currency, authorization_response,
    preauthorization_minor, card_last4, has_transaction, transaction_id,
    transaction_type, transaction_date, amount_minor, reading, first_reading, content
) values (
    :authorization_id, :day, :merchant_id, :batch_id, :currency, :authorization_response,
    :preauthorization_minor, :card_last4, :has_transaction, :transaction_id,
    :transaction_type, :transaction_date, :amount_minor, :reading, :reading, :content
)
on conflict (authorization_id) do update set
    -- A record read by its id may carry no date; then it keeps the day it was listed under.
    day = case excluded.day when '' then authorization.day else excluded.day end,
    merchant_id = excluded.merchant_id,
    batch_id = excluded.batch_id,
    currency = excluded.currency,
    authorization_response = excluded.authorization_response,
    preauthorization_minor = excluded.preauthorization_minor,
    card_last4 = excluded.card_last4,
    has_transaction = excluded.has_transaction,
    transaction_id = excluded.transaction_id,
    transaction_type = excluded.transaction_type,
    transaction_date = excluded.transaction_date,
    amount_minor = excluded.amount_minor,
    reading = excluded.reading,
    content = excluded.content,
    gone_in = null
where authorization.reading < excluded.reading
