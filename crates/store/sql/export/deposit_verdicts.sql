-- purpose: the verdicts of the deposits paid on a date, as in its report.
-- grain: one ACH deposit; ?1 the business date.
-- column ach_deposit_id integer: the API's id
-- column merchant_id text: the MID
-- column merchant_name text: as configured, else the trading name
-- column currency text: empty when it is not known
-- column currency_exponent exponent: decimals of the currency
-- column association_date date: the batch date that it pays for
-- column payment_date date: when the merchant received it
-- column net_amount_minor money: the paid net amount
-- column net_expected_minor money: the sum of its components
-- column batch_sales_minor money: sales of the whole group's batches
-- column batch_returns_minor money: returns of the whole group's batches
-- column batch_transactions count: transactions of the whole group's batches
-- column fees_total_minor money: the sum of its fees
-- column returned_amount_minor money: bank transfers that came back
-- column disputed_minor money: disputes that explain its adjustment
-- column unexplained_minor money: the unexplained rest
-- column bank_date date: when it stands on the bank's statement
-- column bank_minor money: its amount there
-- column bank_verdict text: as in deposits.csv
-- column pays_for text: the batch dates that it pays for, joined with ;
-- column verdict text: tied, in_transit, discrepancy or not_evaluated
select
    ach_deposit_id,
    merchant_id,
    merchant_name,
    currency,
    currency as currency_exponent,
    association_date,
    payment_date,
    net_amount_minor,
    net_expected_minor,
    batch_sales_minor,
    batch_returns_minor,
    batch_transactions,
    fees_total_minor,
    returned_amount_minor,
    disputed_minor,
    unexplained_minor,
    nullif(bank_date, '') as bank_date,
    bank_minor,
    nullif(bank_verdict, '') as bank_verdict,
    nullif(pays_for, '') as pays_for,
    verdict
from deposit_result
where business_date = ?1
order by merchant_id, ach_deposit_id
