-- purpose: the first and the last day that the dataset has: from the earliest
-- that was read, or on which a bank transfer ran, to the newest business date.
-- grain: one row.
-- parameters: ?1, the earliest run date of a bank transfer that counts.
with
first_days as (
    select min(business_date) as day from business_day
    union all
    select min(business_date) from listing
    where resource = 'batches' and selector = 'date' and business_date > ''
    union all
    select min(business_date) from listing
    where resource = 'ach-deposits' and selector = 'date' and business_date > ''
    union all
    select min(business_date) from listing
    where resource = 'bank-transfer-payments'
      and selector = 'settled'
      and business_date > ''
    union all
    select (
        select local_date(min(transfer.run_at), merchant.time_zone)
        from bank_transfer as transfer
        where transfer.terminal_id = terminal.terminal_id
          and transfer.run_at >= ?1
    )
    from temp.configured_terminal as terminal
    cross join temp.merchants as merchant
        on merchant.merchant_id = terminal.merchant_id
)
select
    min(day) as first_day,
    (select max(business_date) from business_day) as last_day
from first_days
