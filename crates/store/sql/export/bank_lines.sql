-- purpose: the processor's lines on the bank's statements of a date. A line
-- that several files repeat is one line.
-- grain: one line; its date is that of temp.asof.
-- column bank text: the bank's name in the configuration
-- column line_key text: its identity across files
-- column merchant_id text: the MID, where the line names it
-- column account_last4 text: the last characters of the account
-- column currency text: its currency
-- column currency_exponent exponent: decimals of the currency
-- column amount_minor money: below zero for a debit
select
    bank,
    line_key,
    merchant_id,
    account_last4,
    currency,
    currency as currency_exponent,
    amount_minor
from temp.exported_lines
order by merchant_id, bank, line_key
