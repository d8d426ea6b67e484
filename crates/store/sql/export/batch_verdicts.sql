-- purpose: the verdicts of the batches of a date, as in its report.
-- grain: one batch; ?1 the business date.
-- column batch_id integer: the API's id
-- column merchant_id text: the MID
-- column merchant_name text: as configured, else the trading name
-- column currency text: its currency
-- column currency_exponent exponent: decimals of the currency
-- column batch_date date: its date
-- column transaction_count count: how many transactions its header states
-- column sale_amount_minor money: sales of its header
-- column return_amount_minor money: returns of its header
-- column items_count count: how many items it holds
-- column items_sales_minor money: the sum of its sales
-- column items_returns_minor money: the sum of its returns
-- column ach_deposit_id text: the deposits of its group, joined with ;
-- column on_hold_minor money: held by the processor
-- column settled_elsewhere_minor money: settled by a third party
-- column withdrawn_minor money: taken out of settlement
-- column verdict text: tied, in_transit, discrepancy or not_evaluated
select
    batch_id,
    merchant_id,
    merchant_name,
    currency,
    currency as currency_exponent,
    batch_date,
    transaction_count,
    sale_amount_minor,
    return_amount_minor,
    items_count,
    items_sales_minor,
    items_returns_minor,
    nullif(ach_deposit_id, '') as ach_deposit_id,
    on_hold_minor,
    settled_elsewhere_minor,
    withdrawn_minor,
    verdict
from batch_result
where business_date = ?1
order by merchant_id, batch_id
