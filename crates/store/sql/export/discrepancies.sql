-- purpose: the discrepancies that were new, open, cleared or accepted on a
-- date, as its report shows them.
-- grain: one discrepancy; ?1 the business date.
-- column discrepancy_id text: the same on every date
-- column code text: the check
-- column subject text: its subject, the same on every date
-- column severity text: error, warning or info
-- column status text: new, open, cleared or accepted
-- column is_carried flag: whether it counts in the roll-forward
-- column is_reopened flag: a new one that had existed before
-- column first_seen date: the earliest date on which it existed
-- column age_days count: banking days since
-- column merchant_id text: the MID
-- column merchant_name text: as configured, else the trading name
-- column currency text: empty for a count
-- column currency_exponent exponent: decimals of the currency
-- column figure text: amount or count, of expected and actual
-- column expected integer: the level below, in minor units or a count
-- column actual integer: the level above, in minor units or a count
-- column difference integer: actual less expected, where they compare
-- column batch_date date: the day of its item or group
-- column batch_id text: ids joined with ;
-- column ach_deposit_id text: ids joined with ;
-- column authorization_id text: ids joined with ;
-- column transaction_id text: ids joined with ;
-- column payment_id text: ids joined with ;
-- column refund_id text: ids joined with ;
-- column order_id text: ids joined with ;
-- column ledger_id text: ids joined with ;
-- column dispute_id text: ids joined with ;
-- column expected_currency text: that of expected, where it is another one
-- column explanation text: one sentence with the figures
-- column action text: the next step
-- column owner text: who works on it, as people have said it up to the date
-- column ticket text: where it is worked on
-- column due_date date: when it is to be settled
-- column note text: a person's note
select
    discrepancy_id,
    code,
    subject,
    severity,
    status,
    is_carried,
    is_reopened,
    first_seen,
    age_days,
    merchant_id,
    merchant_name,
    currency,
    currency as currency_exponent,
    figure,
    expected,
    actual,
    case when has_difference then actual - expected end as difference,
    nullif(batch_date, '') as batch_date,
    nullif(batch_id, '') as batch_id,
    nullif(ach_deposit_id, '') as ach_deposit_id,
    nullif(authorization_id, '') as authorization_id,
    nullif(transaction_id, '') as transaction_id,
    nullif(payment_id, '') as payment_id,
    nullif(refund_id, '') as refund_id,
    nullif(order_id, '') as order_id,
    nullif(ledger_id, '') as ledger_id,
    nullif(dispute_id, '') as dispute_id,
    expected_currency,
    explanation,
    action,
    owner,
    ticket,
    due_date,
    note
from discrepancy_day
where business_date = ?1
order by merchant_id, discrepancy_id
