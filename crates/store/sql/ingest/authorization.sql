-- purpose: keep an authorization that is not stored yet.
-- grain: one authorization with one of its transactions, in the order of its
-- columns; changes no row when it is stored already.
insert into authorization (
    authorization_id, transaction_key, day, merchant_id, batch_id, currency,
    authorization_response, preauthorization_minor, card_last4, card_type,
    has_transaction, transaction_id, transaction_type, transaction_date,
    amount_minor, reading, first_reading, content, gone_in
) values (
    :authorization_id, :transaction_key, :day, :merchant_id, :batch_id,
    :currency, :authorization_response, :preauthorization_minor, :card_last4,
    :card_type,
    :has_transaction, :transaction_id, :transaction_type, :transaction_date,
    :amount_minor, :reading, :first_reading, :content, :gone_in
)
on conflict (authorization_id, transaction_key) do nothing
