-- purpose: keep the report row of a batch on a reconciled date.
-- grain: one batch of a date.
insert into batch_result (
    business_date, batch_id, merchant_id, merchant_name, currency, batch_date,
    transaction_count, sale_amount_minor, return_amount_minor, items_count,
    items_sales_minor, items_returns_minor, ach_deposit_id, verdict,
    on_hold_minor, settled_elsewhere_minor, withdrawn_minor
) values (
    :business_date, :batch_id, :merchant_id, :merchant_name, :currency,
    :batch_date, :transaction_count, :sale_amount_minor, :return_amount_minor,
    :items_count, :items_sales_minor, :items_returns_minor, :ach_deposit_id,
    :verdict, :on_hold_minor, :settled_elsewhere_minor, :withdrawn_minor
)
