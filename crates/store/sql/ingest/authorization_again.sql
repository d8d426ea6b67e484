-- purpose: keep the newest content of an authorization that an earlier reading
-- stored.
-- grain: one authorization with one of its transactions; changes no row when
-- this reading or a newer one holds it already.
update authorization set
    -- A record read by its id may carry no date; then it keeps the day it was
    -- listed under.
    day = case :day when '' then day else :day end,
    merchant_id = :merchant_id,
    batch_id = :batch_id,
    currency = :currency,
    authorization_response = :authorization_response,
    preauthorization_minor = :preauthorization_minor,
    card_last4 = :card_last4,
    card_type = :card_type,
    has_transaction = :has_transaction,
    transaction_id = :transaction_id,
    transaction_type = :transaction_type,
    transaction_date = :transaction_date,
    amount_minor = :amount_minor,
    reading = :reading,
    content = :content,
    gone_in = null
where authorization_id = :authorization_id
  and transaction_key = :transaction_key
  and reading < :reading
