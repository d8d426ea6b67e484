-- purpose: the bank transfers of merchants with a ledger that are known as of
-- D.
-- grain: one bank transfer; without a settled day it is not settled as of D.
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
    -- For a transfer that came back without a return date: this date decides
    -- which records pair with it.
    (
        select undated.came_back_on from undated_return as undated
        where undated.transfer_number = transfer.transfer_number
          and transfer.status = 'returned'
    ) as came_back_on,
    transfer.representment_id is not null as is_represented,
    known.is_listed,
    local_date(transfer.run_at, merchants.time_zone) as run_date,
    known.settled_day,
    case transfer.kind when 'payment' then (
        select min(original.transfer_id) from bank_transfer as original
        where original.kind = 'payment'
          and original.representment_id = transfer.transfer_id
    ) end as representment_of,
    -- A listed payment that is itself a return is not a payment, and no item.
    transfer.kind = 'payment' and exists (
        select 1 from transfer_return as returned
        where returned.return_id = transfer.transfer_id
    ) as is_return
from temp.book_transfer as known
cross join temp.asof as asof
inner join bank_transfer as transfer
    on transfer.transfer_number = known.transfer_number
inner join temp.configured_terminal as terminal
    on terminal.terminal_id = transfer.terminal_id
inner join temp.merchants as merchants
    on merchants.merchant_id = terminal.merchant_id
where terminal.merchant_id in (select merchant_id from temp.book_merchant)
  and (
      known.settled_day is not null
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
