-- purpose: the merchants and their terms, as configured when it was exported.
-- grain: one merchant.
-- column merchant_id text: the MID
-- column merchant_name text: as configured, else the trading name
-- column currency text: as configured
-- column time_zone text: whose day counts
-- column calendar text: whose banking days count
-- column is_checked flag: whether it is judged at all
-- column names_terminals flag: whether its terminals are known
-- column names_bank flag: whether it has a bank
-- column payout_days count: banking days until a batch is paid
-- column settle_days count: banking days until a bank transfer settles
-- column window_days count: banking days between an item and its record
-- column capture_tolerance_percent count: percent above the authorization
-- column uses_links flag: whether links of deposits are used
select
    merchant.merchant_id,
    merchant.name as merchant_name,
    merchant.currency,
    merchant.time_zone,
    merchant.calendar,
    merchant.is_checked,
    merchant.are_terminals_known as names_terminals,
    merchant.names_bank,
    merchant.payout_days,
    merchant.settle_days,
    merchant.window_days,
    merchant.capture_tolerance_percent,
    asof.uses_links
from temp.merchants as merchant
cross join temp.asof as asof
order by merchant.merchant_id
