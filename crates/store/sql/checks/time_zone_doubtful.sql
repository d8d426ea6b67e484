-- code: TIME_ZONE_DOUBTFUL
-- severity: warning
-- figure: none
-- about: setup
-- subject: merchant
-- names: nothing
-- needs: bank-transfer-payments/settled bank-transfer-refunds/settled
-- means: Most bank transfers that settled on a date ran, by local date, after
--   it or before the banking day before it.
-- explanation: {odd} of the {all_transfers} bank transfers of merchant
--   {merchant_id} that settled on {batch_date} ran after that day or before the
--   banking day before it, by the dates of time zone {time_zone}.
-- action: Check the merchant's time zone in the configuration.
-- grain: one merchant; of several such days the earliest, so that it stays
-- the same one.
with
days as (
    select day from temp.judged_days
    union
    select batch_date from temp.carried where code = 'TIME_ZONE_DOUBTFUL'
),
settled as (
    select distinct
        terminal.merchant_id,
        listing.business_date as day,
        transfer.transfer_number,
        local_date(transfer.run_at, merchants.time_zone) as run_date,
        merchants.calendar,
        merchants.time_zone
    from days
    cross join temp.asof as asof
    cross join temp.complete_listing as listing
        on listing.business_date = days.day
    cross join transfer_listed as listed
        on listed.listing_id = listing.listing_id
        and listed.reading = listing.reading_id
    cross join bank_transfer as transfer
        on transfer.transfer_number = listed.transfer_number
    inner join temp.configured_terminal as terminal
        on terminal.terminal_id = transfer.terminal_id
    inner join temp.merchants as merchants
        on merchants.merchant_id = terminal.merchant_id
    where listing.selector = 'settled'
      and listing.resource
          in ('bank-transfer-payments', 'bank-transfer-refunds')
      and days.day between asof.start_date and asof.business_date
      and merchants.is_checked
      and transfer.run_at is not null
      and transfer.transfer_type <> 'accountVerification'
      and not (
          transfer.kind = 'payment'
          and exists (
              select 1 from transfer_return as returned
              where returned.return_id = transfer.transfer_id
          )
      )
),
counted as (
    select
        merchant_id,
        time_zone,
        day,
        count(*) as all_transfers,
        sum(
            run_date > day
            or banking_days(run_date, date(day, '-1 day'), calendar) > 0
        ) as odd
    from settled
    group by merchant_id, time_zone, day
)
select
    merchant_id,
    merchant_id as subject,
    time_zone,
    min(day) as batch_date,
    odd,
    all_transfers
from counted
-- A single transfer that settled late says nothing about the time zone.
where odd * 2 > all_transfers
  and all_transfers > 1
group by merchant_id
order by merchant_id
