-- purpose: keep a card transaction that is not stored yet.
-- grain: one transaction, in the order of its columns; changes no row when it
-- is stored already.
insert into card_transaction (
    transaction_id, day, merchant_id, batch_id, currency, transaction_type,
    amount_minor, ach_deposit_id, reading, content, gone_in, status, settled_by
) values (
    :transaction_id, :day, :merchant_id, :batch_id, :currency,
    :transaction_type, :amount_minor, :ach_deposit_id, :reading, :content,
    :gone_in, :status, :settled_by
)
on conflict (transaction_id) do nothing
