-- purpose: keep the report row of a discrepancy on a reconciled date.
-- grain: one discrepancy on one date.
insert into discrepancy_day (
    business_date, discrepancy_id, code, severity, status, is_carried,
    is_reopened, first_seen, age_days, subject, merchant_id, merchant_name,
    currency, figure, has_difference, expected, actual, batch_date, batch_id,
    ach_deposit_id,
    authorization_id, transaction_id, payment_id, refund_id, order_id,
    ledger_id, explanation, action, dispute_id, expected_currency, owner,
    ticket, due_date, note
) values (
    :business_date, :discrepancy_id, :code, :severity, :status, :is_carried,
    :is_reopened, :first_seen, :age_days, :subject, :merchant_id,
    :merchant_name, :currency, :figure, :has_difference, :expected, :actual,
    :batch_date,
    :batch_id, :ach_deposit_id, :authorization_id, :transaction_id, :payment_id,
    :refund_id, :order_id, :ledger_id, :explanation, :action, :dispute_id,
    :expected_currency, :owner, :ticket, :due_date, :note
)
