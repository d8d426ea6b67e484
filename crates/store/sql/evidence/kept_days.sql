-- purpose: the days that an open discrepancy, or an accepted one that still
-- exists, rests on: of its items, its groups, its deposits, and of the earlier
-- content of its records.
-- grain: one day.
create temp table kept_days as
with
listed as (
    select found.*
    from discrepancy_day as found
    where found.business_date = (
        select max(business_date) from business_day where reconciled
    )
      and found.status in ('new', 'open')
    union all
    -- An accepted discrepancy is kept on the date on which it left the list,
    -- and may return.
    select found.*
    from discrepancy_day as found
    where found.status = 'accepted'
),
records as (
    select 'deposit' as kind, cast(deposit.ach_deposit_id as text) as id,
        deposit.day
    from listed
    inner join deposit
        on instr(';' || listed.ach_deposit_id || ';', ';'
            || deposit.ach_deposit_id || ';') > 0
    where listed.ach_deposit_id <> ''
    union
    select 'deposit', cast(deposit.ach_deposit_id as text), deposit.day
    from listed
    inner join deposit
        on deposit.merchant_id = listed.merchant_id
        and deposit.association_date = listed.batch_date
    union
    select 'batch', cast(batch.batch_id as text), batch.day
    from listed
    inner join batch
        on batch.merchant_id = listed.merchant_id
            and batch.day = listed.batch_date
    union
    select
        'authorization',
        item.authorization_id || '/' || item.transaction_key,
        item.day
    from listed
    inner join authorization as item
        on item.authorization_id = cast(listed.authorization_id as integer)
    where listed.authorization_id <> ''
)
select batch_date as day from listed where batch_date is not null
union
select first_seen from listed
union
-- The subject of a record without an id begins with the day that lists it.
select substr(subject, 1, 10) from listed
where subject glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'
union
select day from records
union
select version.day
from records
inner join record_version as version
    on version.kind = records.kind and version.id = records.id;
