-- purpose: the merchants whose books can give another result after the readings
-- since a reading; they may be more than those whose books do.
-- grain: one merchant; null where it may be any.
-- parameters: ?1, the newest reading by then.

-- purpose: the merchants of the records of the changed listings.
-- grain: one listing and record.
create temp view touched_record as
select item.merchant_id, item.first_reading
from temp.touched_listing as changed
cross join owned_authorization as item on item.day = changed.business_date
where changed.resource = 'authorizations' and changed.selector = 'date'
union all
select item.merchant_id, item.first_reading
from temp.touched_listing as changed
cross join owned_authorization as item
    on item.authorization_id = cast(changed.scope as integer)
where changed.resource = 'authorizations' and changed.selector = 'id'
union all
select item.merchant_id, item.first_reading
from temp.touched_listing as changed
cross join batch on batch.batch_id = cast(changed.scope as integer)
cross join owned_authorization as item
    on item.day = batch.day and item.batch_id = batch.batch_id
where changed.resource = 'authorizations' and changed.selector = 'batch'
union all
select batch.merchant_id, batch.first_reading
from temp.touched_listing as changed
cross join batch on batch.day = changed.business_date
where changed.resource = 'batches' and changed.selector = 'date'
union all
select batch.merchant_id, batch.first_reading
from temp.touched_listing as changed
cross join batch on batch.batch_id = cast(changed.scope as integer)
where changed.resource = 'batches' and changed.selector = 'id'
union all
select deposit.merchant_id, deposit.first_reading
from temp.touched_listing as changed
cross join deposit on deposit.day = changed.business_date
where changed.resource = 'ach-deposits' and changed.selector = 'date'
union all
select deposit.merchant_id, deposit.first_reading
from temp.touched_listing as changed
cross join deposit on deposit.ach_deposit_id = cast(changed.scope as integer)
where changed.resource = 'ach-deposits' and changed.selector = 'id';

-- purpose: the merchants of a replaced record, by its earlier content and by
-- its current one. Bank transfers have a terminal instead. A `+` leaves the
-- search to the reading that replaced it.
-- grain: one replaced content and merchant.
create temp view replaced_record as
select replaced.replaced_in, replaced.merchant_id
from record_version as replaced
where replaced.kind not in ('payment', 'refund')
union all
select replaced.replaced_in, deposit.merchant_id
from record_version as replaced
cross join deposit on deposit.ach_deposit_id = cast(replaced.id as integer)
where +replaced.kind = 'deposit'
union all
select replaced.replaced_in, batch.merchant_id
from record_version as replaced
cross join batch on batch.batch_id = cast(replaced.id as integer)
where +replaced.kind = 'batch'
union all
select replaced.replaced_in, item.merchant_id
from record_version as replaced
-- The id of an authorization goes before the one of its transaction.
cross join owned_authorization as item
    on item.authorization_id = cast(replaced.id as integer)
where +replaced.kind = 'authorization';

with
of_terminals as (
    -- Terminals with a changed or incomplete listing.
    select changed.scope as terminal_id
    from temp.touched_listing as changed
    where changed.selector in ('settled', 'run', 'unsettled', 'returned')
    union
    -- Transfers that were looked up by their id and are known, or were known.
    select transfer.terminal_id
    from temp.touched_listing as changed
    cross join bank_transfer as transfer
        on transfer.transfer_id = changed.scope
    where changed.selector = 'id'
      and changed.resource
          in ('bank-transfer-payments', 'bank-transfer-refunds')
    union
    select content ->> 'terminal_id'
    from record_version
    where replaced_in > ?1 and +kind in ('payment', 'refund')
)
select terminal.merchant_id
from of_terminals
left join temp.configured_terminal as terminal
    on terminal.terminal_id = of_terminals.terminal_id
union
-- Without all items of a date, any merchant may be affected.
select null
from temp.touched_listing as changed
where changed.resource in ('disputes', 'dispute-statuses')
   or (changed.selector = 'date' and not changed.is_whole)
union
select merchant_id from temp.touched_record where first_reading > ?1
union
select merchant_id from temp.replaced_record where replaced_in > ?1
