-- purpose: the days whose facts readings have changed since the dataset was
-- last written: a listing with another content, a record that was replaced or
-- is gone, a bank transfer that was not known before, or a return of one.
-- grain: one day.
-- parameters: ?1, the newest reading by then.
with
newer as (
    select
        listing.listing_id,
        listing.resource,
        listing.selector,
        listing.scope,
        listing.business_date
    from reading
    cross join listing
        on listing.listing_id = reading.listing_id
            and listing.reading_id = reading.reading_id
    where reading.reading_id > ?1
      and not exists (
          select 1 from reading as earlier
          where earlier.listing_id = reading.listing_id
            and earlier.reading_id = (
                select max(before.reading_id) from reading as before
                where before.listing_id = reading.listing_id
                  and before.reading_id < reading.reading_id
            )
            and earlier.verdict = reading.verdict
            and earlier.digest = reading.digest
      )
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
    select business_date as day, resource
    from newer
    where selector in ('date', 'settled', 'run')
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
    union
    select deposit.day, newer.resource
    from newer
    cross join deposit
        on deposit.ach_deposit_id = cast(newer.scope as integer)
    where newer.resource = 'ach-deposit-fees' and newer.selector = 'deposit'
       or newer.resource = 'ach-deposits' and newer.selector = 'id'
    union
    select batch.day, newer.resource
    from newer
    cross join batch on batch.batch_id = cast(newer.scope as integer)
    where newer.resource = 'batches' and newer.selector = 'id'
       or newer.selector = 'batch'
    union
    select dispute.day, newer.resource
    from newer
    cross join dispute on dispute.dispute_id = cast(newer.scope as integer)
    where newer.resource = 'dispute-statuses'
)
select day, resource from changed where day > '' order by day, resource
