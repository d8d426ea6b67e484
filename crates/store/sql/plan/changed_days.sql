-- purpose: the days whose facts readings have changed since the dataset was
-- last written: a listing with another content, a record that was replaced or
-- is gone, a bank transfer that was not known before, or a return of one.
-- grain: one day.
-- parameters: ?1, the newest reading by then.

-- purpose: the listings whose newest reading has another content than the one
-- before it, with the day that they list, or that of the record that they name.
-- grain: one listing.
create temp view changed_listing as
select
    reading.reading_id,
    listing.listing_id,
    listing.resource,
    case
        when listing.selector in ('date', 'settled', 'run')
            then listing.business_date
        when listing.resource = 'ach-deposit-fees'
                and listing.selector = 'deposit'
            or listing.resource = 'ach-deposits' and listing.selector = 'id'
            then (
            select deposit.day from deposit
            where deposit.ach_deposit_id = cast(listing.scope as integer)
        )
        when listing.resource = 'batches' and listing.selector = 'id'
            or listing.selector = 'batch' then (
            select batch.day from batch
            where batch.batch_id = cast(listing.scope as integer)
        )
        when listing.resource = 'dispute-statuses' then (
            select dispute.day from dispute
            where dispute.dispute_id = cast(listing.scope as integer)
        )
    end as day
from reading
cross join listing
    on listing.listing_id = reading.listing_id
        and listing.reading_id = reading.reading_id
where not exists (
    select 1 from reading as earlier
    where earlier.listing_id = reading.listing_id
      and earlier.reading_id = (
          select max(before.reading_id) from reading as before
          where before.listing_id = reading.listing_id
            and before.reading_id < reading.reading_id
      )
      and earlier.verdict = reading.verdict
      and earlier.digest = reading.digest
);

with
newer as (
    select listing_id, resource, day from temp.changed_listing
    where reading_id > ?1
),
replaced as (
    select kind, id, day from record_version where replaced_in > ?1
),
transfers as (
    select transfer.transfer_number
    from replaced
    cross join bank_transfer as transfer
        on transfer.transfer_id = replaced.id
            and transfer.kind = replaced.kind
    union
    select listed.transfer_number
    from newer
    cross join transfer_listed as listed on listed.listing_id = newer.listing_id
    cross join bank_transfer as transfer
        on transfer.transfer_number = listed.transfer_number
    where transfer.first_reading > ?1
       or (
           -- Returns are kept as the newest reading states them: they are
           -- unchanged when the newest listing from before had the same
           -- content.
           transfer.status = 'returned'
           and transfer.content is not (
               select before.content from transfer_listed as before
               where before.transfer_number = transfer.transfer_number
                 and before.reading <= ?1
               order by before.reading desc
               limit 1
           )
       )
),
changed as (
    select day, resource from newer
    union
    select
        day,
        case kind
            when 'authorization' then 'authorizations'
            when 'batch' then 'batches'
            when 'deposit' then 'ach-deposits'
            else kind
        end
    from replaced
    union
    select
        local_date(transfer.run_at, merchant.time_zone),
        'bank-transfers'
    from transfers
    cross join bank_transfer as transfer
        on transfer.transfer_number = transfers.transfer_number
    cross join temp.configured_terminal as terminal
        on terminal.terminal_id = transfer.terminal_id
    cross join temp.merchants as merchant
        on merchant.merchant_id = terminal.merchant_id
    union
    select returned.return_date, 'bank-transfers'
    from transfers
    cross join bank_transfer as transfer
        on transfer.transfer_number = transfers.transfer_number
    cross join transfer_return as returned
        on returned.payment_id = transfer.transfer_id
)
select day, resource from changed where day > '' order by day, resource
