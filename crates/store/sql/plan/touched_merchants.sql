-- purpose: the merchants whose books can give another result after the readings
-- since a reading; they may be more than those whose books do.
-- grain: one merchant; null where it may be any.
-- parameters: ?1, the newest reading by then.
with
-- Fees and card transactions are no part of the books.
changed as materialized (
    select
        listing.resource,
        listing.selector,
        listing.scope,
        listing.business_date,
        newest.verdict = 'complete' and old.verdict is 'complete' as is_whole
    from reading as newest
    cross join listing
        on listing.listing_id = newest.listing_id
            and listing.reading_id = newest.reading_id
    left join reading as old on old.reading_id = (
        select max(before.reading_id) from reading as before
        where before.listing_id = listing.listing_id
          and before.reading_id <= ?1
    )
    where newest.reading_id > ?1
      and listing.resource not in ('ach-deposit-fees', 'transactions')
      and not (
          newest.verdict = 'complete'
          and old.verdict is 'complete'
          and newest.digest = old.digest
      )
),
replaced as materialized (
    select kind, id, merchant_id, content
    from record_version
    where replaced_in > ?1
),
of_terminals as (
    -- Terminals with a changed or incomplete listing.
    select changed.scope as terminal_id
    from changed
    where changed.selector in ('settled', 'run', 'unsettled', 'returned')
    union
    -- Transfers that were looked up by their id and are known, or were known.
    select transfer.terminal_id
    from changed
    cross join bank_transfer as transfer
        on transfer.transfer_id = changed.scope
    where changed.selector = 'id'
      and changed.resource
          in ('bank-transfer-payments', 'bank-transfer-refunds')
    union
    select replaced.content ->> 'terminal_id'
    from replaced
    where replaced.kind in ('payment', 'refund')
),
items as (
    select item.merchant_id, item.first_reading
    from changed
    cross join owned_authorization as item on item.day = changed.business_date
    where changed.resource = 'authorizations' and changed.selector = 'date'
    union all
    select item.merchant_id, item.first_reading
    from changed
    cross join owned_authorization as item
        on item.authorization_id = cast(changed.scope as integer)
    where changed.resource = 'authorizations' and changed.selector = 'id'
    union all
    select item.merchant_id, item.first_reading
    from changed
    cross join batch on batch.batch_id = cast(changed.scope as integer)
    cross join owned_authorization as item
        on item.day = batch.day and item.batch_id = batch.batch_id
    where changed.resource = 'authorizations' and changed.selector = 'batch'
),
headers as (
    select batch.merchant_id, batch.first_reading
    from changed
    cross join batch on batch.day = changed.business_date
    where changed.resource = 'batches' and changed.selector = 'date'
    union all
    select batch.merchant_id, batch.first_reading
    from changed
    cross join batch on batch.batch_id = cast(changed.scope as integer)
    where changed.resource = 'batches' and changed.selector = 'id'
    union all
    select deposit.merchant_id, deposit.first_reading
    from changed
    cross join deposit on deposit.day = changed.business_date
    where changed.resource = 'ach-deposits' and changed.selector = 'date'
    union all
    select deposit.merchant_id, deposit.first_reading
    from changed
    cross join deposit
        on deposit.ach_deposit_id = cast(changed.scope as integer)
    where changed.resource = 'ach-deposits' and changed.selector = 'id'
)
select terminal.merchant_id
from of_terminals
left join temp.configured_terminal as terminal
    on terminal.terminal_id = of_terminals.terminal_id
union
-- Without all items of a date, any merchant may be affected.
select null
from changed
where changed.resource in ('disputes', 'dispute-statuses')
   or (changed.selector = 'date' and not changed.is_whole)
union
select merchant_id from items where first_reading > ?1
union
select merchant_id from headers where first_reading > ?1
union
-- The merchants of a record's earlier and current content.
select merchant_id from replaced where kind not in ('payment', 'refund')
union
select deposit.merchant_id
from replaced
cross join deposit on deposit.ach_deposit_id = cast(replaced.id as integer)
where replaced.kind = 'deposit'
union
select batch.merchant_id
from replaced
cross join batch on batch.batch_id = cast(replaced.id as integer)
where replaced.kind = 'batch'
union
select item.merchant_id
from replaced
-- The id of an authorization goes before the one of its transaction.
cross join owned_authorization as item
    on item.authorization_id = cast(replaced.id as integer)
where replaced.kind = 'authorization'
