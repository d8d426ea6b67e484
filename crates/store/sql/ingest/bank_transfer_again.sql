-- purpose: keep the newest content of a payment or refund that has changed.
-- grain: one bank transfer.
-- parameters: those of bank_transfer.sql, in their order.
update bank_transfer set
    terminal_id = ?3,
    order_id = ?4,
    run_at = ?5,
    amount_minor = ?6,
    currency = ?7,
    transfer_type = ?8,
    status = ?9,
    account_last4 = ?10,
    representment_id = ?11,
    payment_id = ?12,
    reading = ?13,
    content = ?14
where kind = ?1
  and transfer_id = ?2
