-- purpose: keep what a report row of a reconciled date says.
-- grain: one item and ledger record of a pair.
insert into match_result (
    business_date, ordinal, item_type, item_id, ledger_id, merchant_id,
    currency, item_date,
    ledger_date, item_amount_minor, ledger_amount_minor, difference_minor, pass,
    order_id,
    note
) values (
    :business_date, :ordinal, :item_type, :item_id, :ledger_id, :merchant_id,
    :currency,
    :item_date, :ledger_date, :item_amount_minor, :ledger_amount_minor,
    :difference_minor,
    :pass, :order_id, :note
)
