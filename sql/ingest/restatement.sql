-- purpose: hand the checks what comparing a record with its past came to.
-- grain: one record, or one listing that cannot be compared.
insert or ignore into temp.restatements (
    code, merchant_id, subject, currency, expected, actual, batch_date, batch_id,
    ach_deposit_id, authorization_id, transaction_id, payment_id, refund_id, order_id,
    explanation, problem
) values (
    :code, :merchant_id, :subject, :currency, :expected, :actual, :batch_date, :batch_id,
    :ach_deposit_id, :authorization_id, :transaction_id, :payment_id, :refund_id, :order_id,
    :explanation, :problem
)
