-- purpose: keep a payment or refund that is not stored yet.
-- grain: one bank transfer.
insert into bank_transfer (
    kind, transfer_id, terminal_id, order_id, run_at, amount_minor, currency,
    transfer_type, status, account_last4, representment_id, payment_id, reading,
    first_reading, content
) values (
    :kind, :transfer_id, :terminal_id, :order_id, :run_at, :amount_minor,
    :currency,
    :transfer_type, :status, :account_last4, :representment_id, :payment_id,
    :reading,
    :reading, :content
)
