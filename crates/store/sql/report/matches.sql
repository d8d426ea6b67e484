-- purpose: the pairs of a date, in the order in which they were sorted once.
-- Columns stand as in the table, which is how they are digested.
-- grain: one item and one ledger record of a pair; ?1 the business date.
select
    business_date,
    ordinal,
    item_type,
    item_id,
    ledger_id,
    merchant_id,
    currency,
    item_date,
    ledger_date,
    item_amount_minor,
    ledger_amount_minor,
    difference_minor,
    pass,
    order_id,
    note
from match_result
where business_date = ?1
order by ordinal
