-- purpose: the state of each business date, or of one.
-- grain: one business date; ?1 the date, null for all.

-- purpose: the listings of reconciled dates that hold more records than when
-- the date was judged.
-- grain: one listing.
create temp view grown_listing as
select day.business_date
from business_day as day
cross join listing
    on listing.business_date = day.business_date
    and listing.selector in ('date', 'settled')
    and listing.resource in (
        'ach-deposits', 'ach-deposit-fees', 'batches', 'authorizations',
        'bank-transfer-payments', 'bank-transfer-refunds'
    )
cross join reading as newest on newest.reading_id = listing.reading_id
cross join reading as before on before.reading_id = (
    select max(earlier.reading_id) from reading as earlier
    where earlier.listing_id = listing.listing_id
      and earlier.verdict = 'complete'
      and earlier.reading_id <= day.judged_up_to
)
where day.reconciled
  and newest.verdict = 'complete'
  and newest.reading_id > day.judged_up_to
  and newest.records > before.records;

select
    day.business_date,
    day.fetch_state,
    day.reconciled,
    day.stale,
    day.is_complete,
    coalesce((
        select act.act = 'close' from audit as act
        where act.subject = day.business_date
          and act.act in ('close', 'reopen date')
        order by act.sequence desc
        limit 1
    ), 0) as is_closed,
    (
        select count(*) from reading
        cross join listing on listing.reading_id = reading.reading_id
            and listing.listing_id = reading.listing_id
        where reading.session = day.session and reading.verdict = 'complete'
    ) as complete_listings,
    (
        select count(*) from reading
        cross join listing on listing.reading_id = reading.reading_id
            and listing.listing_id = reading.listing_id
        where reading.session = day.session and reading.verdict <> 'complete'
    ) as incomplete_listings,
    (
        select count(*) from not_evaluated as entry
        where entry.business_date = day.business_date
    ) as not_evaluated,
    (
        select count(*) from discrepancy_day as found
        where found.business_date = day.business_date
          and found.status in ('new', 'open') and found.severity = 'error'
    ) as errors,
    coalesce((
        select group_concat(distinct found.code) from discrepancy_day as found
        where found.business_date = day.business_date
          and found.status = 'new' and found.severity <> 'info'
    ), '') as new_codes,
    exists (
        select 1 from transit_result as moving
        where moving.business_date = day.business_date
    ) or exists (
        select 1 from deposit_result as deposit
        where deposit.business_date = day.business_date
          and deposit.bank_verdict in ('due', 'awaiting_statement')
    ) as is_moving,
    (
        select count(*) from discrepancy_day as found
        where found.business_date = day.business_date
          and found.status in ('new', 'open') and found.severity = 'warning'
    ) as warnings,
    (
        select count(*) from discrepancy_day as found
        where found.business_date = day.business_date
          and found.status in ('new', 'open') and found.severity = 'info'
    ) as notes,
    exists (
        select 1 from temp.grown_listing as grown
        where grown.business_date = day.business_date
    ) as has_late_records,
    day.last_run
from business_day as day
where ?1 is null or day.business_date = ?1
order by day.business_date
