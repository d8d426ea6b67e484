-- purpose: the deposits paid, or due at the bank, on a date, and the lines of
-- the processor that no deposit explains.
-- grain: one row of the report; ?1 the business date.
-- column ordinal count: its place in the report
-- column ach_deposit_id integer: the deposit
-- column merchant_id text: the MID
-- column merchant_name text: as configured, else the trading name
-- column currency text: its currency
-- column currency_exponent exponent: decimals of the currency
-- column payment_date date: when the merchant received it
-- column due_date date: when it must stand on the statement
-- column net_amount_minor money: the net amount of the deposit
-- column bank text: the bank's name in the configuration
-- column bank_date date: the date of the line
-- column bank_minor money: the amount of the line
-- column verdict text: as in bank_matches.csv
-- column deposit_verdict text: how the deposit itself ties out
select
    ordinal,
    ach_deposit_id,
    merchant_id,
    merchant_name,
    currency,
    currency as currency_exponent,
    nullif(payment_date, '') as payment_date,
    nullif(due_date, '') as due_date,
    net_minor as net_amount_minor,
    bank,
    nullif(bank_date, '') as bank_date,
    bank_minor,
    verdict,
    deposit_verdict
from bank_match_result
where business_date = ?1
order by merchant_id, ordinal
