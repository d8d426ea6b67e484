-- purpose: the figures of each merchant and currency on a date.
-- grain: one merchant and currency; ?1 the business date.
-- column merchant_id text: the MID
-- column merchant_name text: as configured, else the trading name
-- column currency text: empty when it is not known
-- column currency_exponent exponent: decimals of the currency
-- column deposits count: deposits paid on the date
-- column deposited_net_minor money: their net amounts
-- column batches count: batches of the date
-- column items count: items of the date
-- column items_amount_minor money: their sales less their returns
-- column ledger_records count: paid records of the date in scope
-- column matched count: those of them that are matched
-- column in_transit_minor money: the money in transit
-- column on_hold_minor money: of it, held by the processor
-- column overdue_minor money: past its due date and not paid
-- column opening count: discrepancies at the start of the date
-- column new_ones count: new and reopened discrepancies
-- column cleared count: cleared discrepancies
-- column accepted count: accepted discrepancies
-- column closing count: discrepancies at the end of the date
-- column opening_minor money: absolute differences of the opening
-- column new_minor money: absolute differences of the new ones
-- column cleared_minor money: absolute differences of the cleared ones
-- column accepted_minor money: absolute differences of the accepted ones
-- column changed_minor money: the growth of those that stayed open
-- column closing_minor money: absolute differences of the closing
-- column final_date date: the latest date that is final
-- column verdict text: tied, in_transit, discrepancy or not_evaluated
select
    merchant_id,
    merchant_name,
    nullif(currency, '') as currency,
    nullif(currency, '') as currency_exponent,
    deposits,
    deposited_net_minor,
    batches,
    items,
    items_amount_minor,
    ledger_records,
    matched,
    in_transit_minor,
    on_hold_minor,
    overdue_minor,
    opening,
    new as new_ones,
    cleared,
    accepted,
    closing,
    opening_minor,
    new_minor,
    cleared_minor,
    accepted_minor,
    changed_minor,
    closing_minor,
    nullif(final_date, '') as final_date,
    verdict
from summary_result
where business_date = ?1
order by merchant_id, currency
