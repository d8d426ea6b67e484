-- purpose: keep the newest content of a payment or refund.
-- grain: one bank transfer; changes no row when this reading or a newer one holds it already.
insert into bank_transfer (
    kind, transfer_id, terminal_id, order_id, run_at, amount_minor, currency,
    transfer_type, status, account_last4, representment_id, payment_id, reading,
    first_reading, content
) values (
    :kind, :transfer_id, :terminal_id, :order_id, :run_at, :amount_minor, :currency,
    :transfer_type, :status, :account_last4, :representment_id, :payment_id, :reading,
    :reading, :content
)
on conflict (transfer_id, kind) do update set
    terminal_id = excluded.terminal_id,
    order_id = excluded.order_id,
    run_at = excluded.run_at,
    amount_minor = excluded.amount_minor,
    currency = excluded.currency,
    transfer_type = excluded.transfer_type,
    status = excluded.status,
    account_last4 = excluded.account_last4,
    representment_id = excluded.representment_id,
    payment_id = excluded.payment_id,
    reading = excluded.reading,
    content = excluded.content
where bank_transfer.reading < excluded.reading
