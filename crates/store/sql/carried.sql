-- purpose: give the checks the findings that were open, or may exist again.
-- grain: one discrepancy.
insert or ignore into temp.carried (
    discrepancy_id, code, subject, merchant_id, currency, batch_date, batch_id,
    ach_deposit_id, authorization_id, transaction_id, payment_id, refund_id
) values (
    :discrepancy_id, :code, :subject, :merchant_id, :currency, :batch_date,
    :batch_id,
    :ach_deposit_id, :authorization_id, :transaction_id, :payment_id, :refund_id
)
