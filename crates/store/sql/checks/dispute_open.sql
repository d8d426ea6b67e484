-- code: DISPUTE_OPEN
-- severity: warning
-- figure: amount
-- money: unclear
-- subject: dispute
-- names: nothing
-- verdict: none
-- needs: nothing
-- means: A dispute waits for the merchant's answer, and the days for it are
--   nearly over.
-- explanation: Dispute {dispute_id} of {actual} {currency} has waited for the
--   merchant since {status_date} ({status}).
-- action: Answer the dispute, or accept it; without an answer the amount is
--   lost.
-- grain: one dispute that waits, or that may wait.
with
asof as (select * from temp.asof),
waiting as (
    select disputes.*
    from temp.disputes as disputes
    cross join asof
    where disputes.is_checked
      and disputes.verdict = 'waits'
      and due(disputes.status_date, asof.dispute_days, disputes.calendar)
          <= asof.business_date
)
select
    waiting.merchant_id,
    cast(waiting.dispute_id as text) as subject,
    waiting.currency,
    0 as expected,
    waiting.amount_minor as actual,
    waiting.dispute_id,
    waiting.transaction_id,
    waiting.status,
    waiting.status_date,
    case
        when not waiting.is_read
            then json_array('statuses_unread', waiting.dispute_id)
    end as problem
from waiting
union all
-- A dispute submitted on D may be waiting already. A list of statuses that was
-- not read is no reason to doubt the rest of the night.
select
    '',
    listing.business_date,
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    json_array('disputes_unread', listing.business_date)
from asof
cross join temp.failed_listing as listing
where listing.resource = 'disputes'
  and listing.selector = 'date'
  and listing.business_date = asof.business_date
  -- A key that has no disputes misses nothing.
  and coalesce(
      (select is_there from key_operation where name = 'disputes'), 0
  )
order by 2
