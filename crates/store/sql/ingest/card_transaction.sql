-- purpose: keep a card transaction that is not stored yet.
-- grain: one transaction; changes no row when it is stored already.
insert into card_transaction (
    transaction_id, day, merchant_id, batch_id, currency, transaction_type,
    amount_minor,
    ach_deposit_id, status, settled_by, reading, content
) values (
    :transaction_id, :day, :merchant_id, :batch_id, :currency,
    :transaction_type, :amount_minor,
    :ach_deposit_id, :status, :settled_by, :reading, :content
)
on conflict (transaction_id) do nothing
