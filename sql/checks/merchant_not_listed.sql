-- code: MERCHANT_NOT_LISTED
-- severity: error
-- figure: none
-- subject: merchant
-- names: nothing
-- needs: batches ach-deposits
-- means: A configured merchant stands in no listing of the last lookback_days: nothing of it is checked.
-- explanation: Merchant {merchant_id} ({name}) stands in no listing since {since}, of {days} dates read completely: nothing of it can be checked.
-- action: Compare the id in the configuration with the merchant's MID, and ask whether the key may see it; a merchant that has not traded yet appears by itself.
-- grain: one configured merchant.
with
asof as (
    select *, date(business_date, '-' || lookback_days || ' days') as since
        from temp.asof
)
select
    configured.merchant_id,
    configured.merchant_id as subject,
    coalesce(nullif(merchants.name, ''), 'without a name') as name,
    asof.since,
    (
        select count(*) from temp.complete_listing as listing
        where listing.resource = 'batches'
          and listing.selector = 'date'
          and listing.business_date between asof.since and asof.business_date
    ) as days
from temp.configured_merchant as configured
cross join asof
inner join temp.merchants as merchants
    on merchants.merchant_id = configured.merchant_id
-- Listings that hold nobody say nothing about whom they leave out.
where exists (
        select 1 from temp.complete_listing as listing
        where listing.resource in ('batches', 'ach-deposits')
          and listing.selector = 'date'
          and listing.business_date between asof.since and asof.business_date
          and listing.records > 0
    )
  and not exists (
        select 1 from batch
        where batch.merchant_id = configured.merchant_id
          and batch.day between asof.since and asof.business_date
          and batch.gone_in is null
    )
  and not exists (
      select 1 from deposit indexed by deposit_by_group
      where deposit.merchant_id = configured.merchant_id
        and deposit.day between asof.since and asof.business_date
        and deposit.gone_in is null
  )
  and not exists (
      select 1 from temp.listed_cards as cards
      where cards.merchant_id = configured.merchant_id
  )
  and not exists (
      select 1
      from temp.configured_terminal as terminal
      cross join bank_transfer as transfer
          on transfer.terminal_id = terminal.terminal_id
      where terminal.merchant_id = configured.merchant_id
        and coalesce(transfer.run_at >= asof.since, 1)
        and coalesce(transfer.run_at < date(asof.business_date, '+2 days'), 1)
  )
order by configured.merchant_id
