-- purpose: the pairs of item and ledger record whose later day is a date.
-- grain: one item and one record of a pair; ?1 the business date.
-- column ordinal count: its place in the report
-- column item_type text: capture, return, payment or refund
-- column item_id text: the transaction's, payment's or refund's id
-- column ledger_id text: the record's id
-- column merchant_id text: the MID
-- column currency text: their currency
-- column currency_exponent exponent: decimals of the currency
-- column item_date date: the item's day
-- column ledger_date date: the record's date
-- column item_amount_minor money: the item's amount
-- column ledger_amount_minor money: the record's amount
-- column difference_minor money: the one less the other
-- column pass text: the pass that paired them
-- column order_id text: the order that both name
-- column note text: a remark on the pair
select
    ordinal,
    item_type,
    item_id,
    ledger_id,
    merchant_id,
    currency,
    currency as currency_exponent,
    item_date,
    ledger_date,
    item_amount_minor,
    ledger_amount_minor,
    difference_minor,
    pass,
    nullif(order_id, '') as order_id,
    nullif(note, '') as note
from match_result
where business_date = ?1
order by merchant_id, ordinal
