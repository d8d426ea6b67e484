-- purpose: disputes and their statuses; how far the money of a card transaction has come.

-- grain: one dispute, as its newest reading states it.
create table dispute (
    dispute_id integer not null,
    -- The date under which it is listed: when it was submitted.
    day text not null,
    merchant_id text,
    dispute_type text,
    -- The newest status when it was read; what it was on a date follows from dispute_status.
    status text,
    status_date text,
    created_date text,
    -- When the acquiring bank received it.
    received_date text,
    reference_number text,
    amount_minor integer,
    -- What the processor charges for it.
    fee_minor integer,
    currency text,
    card_last4 text,
    -- The card transaction that it is about; null where none was found.
    transaction_id integer,
    transaction_type text,
    transaction_date text,
    transaction_minor integer,
    reading integer not null,
    content integer not null,
    gone_in integer,
    constraint dispute_key primary key (dispute_id)
) strict;
create index dispute_by_day on dispute (day);
create index dispute_by_merchant on dispute (merchant_id, day);
create index dispute_by_transaction on dispute (transaction_id)
    where transaction_id is not null;

-- grain: one status of a dispute, in the order of the newest complete or interrupted reading.
create table dispute_status (
    listing_id integer not null,
    ordinal integer not null,
    dispute_id integer not null,
    dispute_status_id integer,
    status text,
    status_date text,
    reading integer not null,
    constraint dispute_status_key primary key (listing_id, ordinal, reading)
) strict, without rowid;
create index dispute_status_by_dispute on dispute_status (dispute_id);

create trigger dispute_is_overtaken after update of reading on dispute
when exists (select 1 from reading where reading_id = old.reading and verdict = 'reading')
begin
    insert or ignore into overtaken (reading_id, record_id, content)
    values (old.reading, old.dispute_id, old.content);
end;

-- The processor's word for where the money is; null in what an older program has read.
alter table card_transaction add column status text;
alter table card_transaction add column settled_by text;
-- grain: one upgrade that added what readings before it did not keep.
create table upgraded (
    to_version integer not null,
    -- The newest reading of before; 0 in a store that was created with this schema.
    up_to_reading integer not null,
    constraint upgraded_key primary key (to_version)
) strict;
insert into upgraded (to_version, up_to_reading)
select 3, coalesce(max(reading_id), 0) from reading;

-- What is on hold is read again by batch until it is paid.
create index card_transaction_on_hold on card_transaction (day)
    where ach_deposit_id is null and status is not null and gone_in is null;

-- The same totals, by standing as well: expected, partial (partly released), held, held_30 (held
-- until 30 days after its batch date), elsewhere (settled by somebody else), withdrawn, and unclear
-- for a status that is not published.
drop table transaction_total;
create table transaction_total (
    day text not null,
    merchant_id text not null,
    currency text not null,
    ach_deposit_id integer not null,
    standing text not null,
    transactions integer not null,
    sales_minor integer,
    returns_minor integer,
    -- How many are neither capture nor return, or have no amount.
    unclear integer not null,
    constraint transaction_total_key
        primary key (day, merchant_id, currency, ach_deposit_id, standing)
) strict, without rowid;
create index transaction_total_by_deposit on transaction_total (ach_deposit_id, day)
    where ach_deposit_id <> 0;

-- purpose: a card transaction with its standing.
-- grain: one card transaction.
create view standing_transaction as
select
    transaction_id,
    day,
    merchant_id,
    batch_id,
    currency,
    transaction_type,
    amount_minor,
    ach_deposit_id,
    gone_in,
    case
        when status = 'paidByThirdParty' then 'elsewhere'
        when ach_deposit_id is null and lower(trim(settled_by)) = '3rd party' then 'elsewhere'
        when status is null then 'expected'
        when status in ('paid', 'new', 'release', 'heldReleasedAudited', 'unknown')
            then 'expected'
        when status = 'partialRelease' then 'partial'
        when status = 'pull' then 'withdrawn'
        when status = 'holdForSettlement30Days' then 'held_30'
        when status in (
            'held', 'fullSuspense', 'heldAudited', 'holdForSettlementDuplicate', 'holdLongTerm'
        ) then 'held'
        else 'unclear'
    end as standing
from card_transaction;

insert into transaction_total (
    day, merchant_id, currency, ach_deposit_id, standing,
    transactions, sales_minor, returns_minor, unclear
)
select
    item.day,
    coalesce(item.merchant_id, ''),
    coalesce(item.currency, ''),
    coalesce(item.ach_deposit_id, 0),
    item.standing,
    count(*),
    coalesce(sum(case when item.transaction_type = 'capture' then item.amount_minor end), 0),
    coalesce(sum(case when item.transaction_type = 'return' then abs(item.amount_minor) end), 0),
    sum(
        item.transaction_type is null
        or item.transaction_type not in ('capture', 'return')
        or item.amount_minor is null
        or item.currency is null
    )
from standing_transaction as item
inner join listing
    on listing.resource = 'transactions'
    and listing.selector = 'date'
    and listing.business_date = item.day
    and listing.scope = ''
inner join reading on reading.reading_id = listing.reading_id and reading.verdict = 'complete'
where item.gone_in is null
group by
    item.day,
    coalesce(item.merchant_id, ''),
    coalesce(item.currency, ''),
    coalesce(item.ach_deposit_id, 0),
    item.standing;
