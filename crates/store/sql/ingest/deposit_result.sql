-- purpose: keep the report row of a deposit on a reconciled date.
-- grain: one deposit paid on a date.
insert into deposit_result (
    business_date, ach_deposit_id, merchant_id, merchant_name, currency,
    association_date, ach_date, payment_date, transactions, sales_minor,
    returns_minor, daily_fees_minor, held_sales_minor, ach_adjustment_minor,
    holdback_minor, reserve_release_minor, net_amount_minor, net_expected_minor,
    batch_sales_minor, batch_returns_minor, batch_transactions,
    fees_total_minor, returned_amount_minor, unexplained_minor, verdict,
    disputed_minor, bank_date, bank_minor, bank_verdict, pays_for
) values (
    :business_date, :ach_deposit_id, :merchant_id, :merchant_name, :currency,
    :association_date, :ach_date, :payment_date, :transactions, :sales_minor,
    :returns_minor, :daily_fees_minor, :held_sales_minor, :ach_adjustment_minor,
    :holdback_minor, :reserve_release_minor, :net_amount_minor,
    :net_expected_minor, :batch_sales_minor, :batch_returns_minor,
    :batch_transactions, :fees_total_minor, :returned_amount_minor,
    :unexplained_minor, :verdict, :disputed_minor, :bank_date, :bank_minor,
    :bank_verdict, :pays_for
)
