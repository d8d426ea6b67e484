-- purpose: the bank transfers of merchants with a ledger that are known as of D.
-- parameters: :early_day, from which on days before the start date count when they were read.
-- grain: one bank transfer; without a settled day it is not settled as of D.
with
asof as (select * from temp.asof),
settled as (
    select listed.transfer_number, min(listing.business_date) as day
    from asof
    cross join temp.complete_listing as listing
    inner join temp.configured_terminal as terminal on terminal.terminal_id = listing.scope
    inner join transfer_listed as listed
        on listed.listing_id = listing.listing_id and listed.reading = listing.reading_id
    where listing.selector = 'settled'
      and listing.business_date <= asof.business_date
      and (
          listing.business_date >= asof.start_date
          or (terminal.merchant_id, listing.business_date)
              in (select merchant_id, day from temp.paid_days_before_start)
          or listing.business_date >= :early_day
      )
    group by listed.transfer_number
),
-- What only a listing of a later date holds was not known yet. What was looked up by its id,
-- because something names it, is in no listing of a date.
listed_by_then as (
    select listed.transfer_number, max(listing.selector <> 'id') as is_listed
    from asof
    cross join listing
    inner join transfer_listed as listed on listed.listing_id = listing.listing_id
    where listing.business_date <= asof.business_date
    group by listed.transfer_number
),
-- But a payment that presents another again says that there was that one, also where the listing
-- that should have held it could not be read.
presented_again as (
    select original.transfer_number, 1 as is_listed
    from bank_transfer as original
    cross join bank_transfer as again
        on again.transfer_id = original.representment_id and again.kind = 'payment'
    where original.kind = 'payment'
      and original.representment_id is not null
      and again.transfer_number in (select transfer_number from listed_by_then)
),
known as (
    select transfer_number, max(is_listed) as is_listed
    from (select * from listed_by_then union all select * from presented_again)
    group by transfer_number
),
originals as (
    select transfer.representment_id, min(transfer.transfer_id) as original_id
    from bank_transfer as transfer
    where transfer.kind = 'payment' and transfer.representment_id is not null
    group by transfer.representment_id
)
select
    transfer.kind,
    transfer.transfer_id,
    terminal.merchant_id,
    transfer.order_id,
    transfer.amount_minor,
    transfer.currency,
    transfer.transfer_type,
    transfer.status,
    transfer.account_last4,
    -- One that came back and does not say when; what is paired with it is told by this date.
    (
        select undated.came_back_on from undated_return as undated
        where undated.transfer_number = transfer.transfer_number
          and transfer.status = 'returned'
    ) as came_back_on,
    transfer.representment_id is not null as is_represented,
    known.is_listed,
    local_date(transfer.run_at, merchants.time_zone) as run_date,
    settled.day as settled_day,
    case transfer.kind when 'payment' then originals.original_id end as representment_of,
    -- A listed payment that is itself a return is not a payment, and no item.
    transfer.kind = 'payment' and exists (
        select 1 from transfer_return as returned
        where returned.return_id = transfer.transfer_id
    ) as is_return
from known
cross join asof
inner join bank_transfer as transfer on transfer.transfer_number = known.transfer_number
inner join temp.configured_terminal as terminal on terminal.terminal_id = transfer.terminal_id
inner join temp.merchants as merchants on merchants.merchant_id = terminal.merchant_id
left join settled on settled.transfer_number = transfer.transfer_number
left join originals on originals.representment_id = transfer.transfer_id
where terminal.merchant_id in (select merchant_id from temp.ledger_merchant)
  and (
      settled.day is not null
      or transfer.run_at is null
      or local_date(transfer.run_at, merchants.time_zone) <= asof.business_date
  )
  -- One that the API no longer knows by its id is gone.
  and not exists (
      select 1 from transfer_lookup as lookup
      where lookup.transfer_id = transfer.transfer_id
        and lookup.kind = transfer.kind
        and lookup.reading_id > transfer.reading
  )
order by transfer.kind, transfer.transfer_id
