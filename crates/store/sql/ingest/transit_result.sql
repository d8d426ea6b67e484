-- purpose: keep what a report row of a reconciled date says.
-- grain: one thing in transit on a date.
insert into transit_result (
    business_date, kind, id, merchant_id, merchant_name, currency, date,
    due_date, amount_minor, status
) values (
    :business_date, :kind, :id, :merchant_id, :merchant_name, :currency, :date,
    :due_date, :amount_minor, :status
)
