-- purpose: hand a discrepancy between the books and the processor to its check.
-- grain: one discrepancy.
insert into temp.ledger_findings (
    code, merchant_id, subject, currency, expected, actual, batch_date, batch_id,
    authorization_id, transaction_id, payment_id, refund_id, order_id, ledger_id, explanation,
    problem
) values (
    :code, :merchant_id, :subject, :currency, :expected, :actual, :batch_date, :batch_id,
    :authorization_id, :transaction_id, :payment_id, :refund_id, :order_id, :ledger_id,
    :explanation, :problem
)
