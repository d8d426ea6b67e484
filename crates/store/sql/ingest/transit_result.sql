-- purpose: keep the row of money in transit on a reconciled date.
-- grain: one batch, bank transfer or held transaction on a date.
insert into transit_result (
    business_date, kind, id, merchant_id, merchant_name, currency, date,
    due_date, amount_minor, status
) values (
    :business_date, :kind, :id, :merchant_id, :merchant_name, :currency, :date,
    :due_date, :amount_minor, :status
)
