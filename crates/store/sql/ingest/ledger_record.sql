-- purpose: keep one record of a ledger file.
-- grain: one row of the file.
insert into ledger_record (
    file_id, line, merchant_id, ledger_id, kind, date, amount_minor, currency,
    order_id,
    reference, last4, status
) values (
    :file_id, :line, :merchant_id, :ledger_id, :kind, :date, :amount_minor,
    :currency,
    :order_id, :reference, :last4, :status
)
