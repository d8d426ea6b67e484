-- purpose: the earlier dates within the look-back that were reconciled without
-- the bank transfers of a terminal, since it was not configured then: from the
-- first to the last.
-- grain: one merchant and stretch of dates, with the terminals concerned.
-- of.
with unasked as (
    select
        terminal.merchant_id,
        terminal.terminal_id,
        min(day.business_date) as first_date,
        max(day.business_date) as last_date
    from temp.asof as asof
    inner join business_day as day
        on day.business_date >= date(asof.business_date, '-'
            || asof.lookback_days || ' days')
        and day.business_date < asof.business_date
    cross join temp.configured_terminal as terminal
    where day.reconciled
      and not exists (
        select 1 from listing
        where listing.resource = 'bank-transfer-payments'
          and listing.selector = 'settled'
          and listing.business_date = day.business_date
          and listing.scope = terminal.terminal_id
    )
    group by terminal.merchant_id, terminal.terminal_id
)
select
    merchant_id,
    first_date,
    last_date,
    group_concat(terminal_id, ', ' order by terminal_id) as terminal_ids
from unasked
group by merchant_id, first_date, last_date
order by merchant_id, first_date, last_date
