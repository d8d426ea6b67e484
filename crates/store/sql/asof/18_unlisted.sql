-- purpose: whether the API lists merchants that are not configured, since the
-- look-back began. A shop may be closed on the first dates: a merchant that is
-- not listed is reported at once where it lists such a merchant, else from the
-- tenth reconciled date on.
-- grain: one row.
create temp table strangers as
with
asof as (
    select *, date(business_date, '-' || lookback_days || ' days') as since
    from temp.asof
),
found as materialized (
    select exists (
        select 1
        from asof
        cross join temp.merchants as listed
        cross join batch
            on batch.merchant_id = listed.merchant_id
            and batch.day between asof.since and asof.business_date
        where not listed.is_checked
          and batch.gone_in is null
    ) as have_batches
)
select
    asof.since,
    found.have_batches,
    (
        found.have_batches
        or exists (
            select 1
            from temp.merchants as listed
            cross join deposit indexed by deposit_by_group
                on deposit.merchant_id = listed.merchant_id
                and deposit.day between asof.since and asof.business_date
            where not listed.is_checked
              and deposit.gone_in is null
        )
        or 9 <= (
            select count(*) from (
                select 1 from business_day
                where business_day.business_date < asof.business_date
                  and business_day.reconciled
                limit 9
            )
        )
    ) as is_said
from asof
cross join found;

-- purpose: configured merchants that no listing has ever named. Bank
-- transfers are listed by terminal and name no merchant: where some have
-- settled without a batch, and the API lists a merchant that is not configured,
-- they do not prove the merchant id.
-- grain: one configured merchant.
create temp table unlisted_merchants as
select
    configured.merchant_id,
    strangers.since,
    strangers.is_said
from temp.configured_merchant as configured
cross join temp.asof as asof
cross join temp.strangers as strangers
-- An empty listing does not prove that a merchant is missing.
where exists (
        select 1 from temp.complete_listing as listing
        where listing.resource in ('batches', 'ach-deposits')
          and listing.selector = 'date'
          and listing.business_date
              between strangers.since and asof.business_date
          and listing.records > 0
    )
  and not exists (
        select 1 from batch
        where batch.merchant_id = configured.merchant_id
          and batch.day <= asof.business_date
          and batch.gone_in is null
    )
  and not exists (
      select 1 from deposit indexed by deposit_by_group
      where deposit.merchant_id = configured.merchant_id
        and deposit.day <= asof.business_date
        and deposit.gone_in is null
  )
  and not exists (
      select 1 from temp.listed_cards as cards
      where cards.merchant_id = configured.merchant_id
  )
  and (
      not exists (
          select 1
          from temp.configured_terminal as terminal
          cross join bank_transfer as transfer
              on transfer.terminal_id = terminal.terminal_id
          where terminal.merchant_id = configured.merchant_id
            and coalesce(transfer.run_at >= strangers.since, 1)
            and coalesce(
                local_date(transfer.run_at, configured.time_zone)
                    <= asof.business_date,
                1
            )
      )
      or strangers.have_batches
      and exists (
          select 1 from temp.transfers as transfer
          where transfer.merchant_id = configured.merchant_id
            and transfer.settled_day is not null
      )
  );
