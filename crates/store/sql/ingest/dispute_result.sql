-- purpose: keep a row of disputes.csv.
-- grain: one dispute.
insert into dispute_result (
    business_date, dispute_id, merchant_id, merchant_name, currency,
    dispute_type, status, status_date, received_date, due_date,
    amount_minor, fee_minor, transaction_id, authorization_id,
    ach_deposit_id, verdict
) values (
    :business_date, :dispute_id, :merchant_id, :merchant_name, :currency,
    :dispute_type, :status, :status_date, :received_date, :due_date,
    :amount_minor, :fee_minor, :transaction_id, :authorization_id,
    :ach_deposit_id, :verdict
)
