-- code: REFUND_RETURNED
-- severity: warning
-- figure: amount
-- subject: refund
-- names: refund
-- needs: bank-transfer-refunds/returned bank-transfer-refunds/run
--   bank-transfer-refunds/settled
-- means: A refund came back, and no later refund has paid the customer.
-- explanation: Refund {refund_id} of {actual} {currency} came back; it was
--   first listed as returned on {came_back_on}. No later refund has paid the
--   customer.
-- action: Ask the customer for the right account and refund again, or pay the
--   customer in another way and accept the discrepancy with a note.
-- grain: one refund that came back.

-- purpose: the refunds that came back.
-- grain: one refund.
create temp view returned_refunds as
select
    refund.*,
    undated.came_back_on,
    terminal.merchant_id,
    merchants.time_zone
from temp.undated_returns as undated
cross join bank_transfer as refund
    on refund.transfer_number = undated.transfer_number
inner join temp.configured_terminal as terminal
    on terminal.terminal_id = refund.terminal_id
inner join temp.merchants as merchants
    on merchants.merchant_id = terminal.merchant_id
where refund.kind = 'refund'
  and not exists (
      select 1 from transfer_lookup as lookup
      where lookup.transfer_id = refund.transfer_id
        and lookup.kind = 'refund'
        and lookup.reading_id > refund.reading
  );

with
asof as (select * from temp.asof),
-- By the payment, and by the order within the merchant's terminals.
later as (
    select returned.transfer_number as returned_number, other.transfer_number,
        other.amount_minor,
        other.run_at, other.status, other.currency
    from temp.returned_refunds as returned
    cross join bank_transfer as other on other.payment_id = returned.payment_id
    where other.kind = 'refund'
    union
    select returned.transfer_number, other.transfer_number, other.amount_minor,
        other.run_at, other.status, other.currency
    from temp.returned_refunds as returned
    cross join temp.configured_terminal as terminal
        on terminal.merchant_id = returned.merchant_id
    cross join bank_transfer as other
        on other.terminal_id = terminal.terminal_id
            and other.run_at > returned.run_at
    where other.kind = 'refund' and other.order_id = returned.order_id
),
paid as (
    select returned.transfer_number, sum(later.amount_minor) as amount_minor
    from temp.returned_refunds as returned
    cross join asof
    inner join later on later.returned_number = returned.transfer_number
    where later.transfer_number <> returned.transfer_number
      and later.run_at > returned.run_at
      and local_date(later.run_at, returned.time_zone) <= asof.business_date
      and later.currency is returned.currency
      and later.status in ('ready', 'pending', 'accepted', 'complete', 'admin')
    group by returned.transfer_number
)
select
    returned.merchant_id,
    returned.transfer_id as subject,
    returned.currency,
    0 as expected,
    returned.amount_minor as actual,
    coalesce(settled.settled_day,
        local_date(returned.run_at, returned.time_zone)) as batch_date,
    returned.payment_id,
    returned.transfer_id as refund_id,
    returned.order_id,
    returned.came_back_on,
    case when returned.amount_minor is null or returned.currency is null
        then json_array('transfer_without_amount', 'refund',
            returned.transfer_id) end as problem
from temp.returned_refunds as returned
left join paid on paid.transfer_number = returned.transfer_number
-- Only listings that every run up to D has read count.
left join temp.settled_days as settled
    on settled.transfer_number = returned.transfer_number
    and settled.settled_day in (select business_date from temp.known_days)
where returned.amount_minor is null
    or coalesce(paid.amount_minor, 0) < returned.amount_minor
order by returned.transfer_id
