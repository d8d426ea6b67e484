-- purpose: one authorization that was captured in parts is several records, each known by its
-- authorization and its transaction.

drop view owned_authorization;

-- grain: one authorization with one of its transactions, or without any.
create table authorization_record (
    authorization_id integer not null,
    -- The id of its transaction; 0 when it has none.
    transaction_key integer not null,
    day text not null,
    merchant_id text,
    batch_id integer,
    currency text,
    authorization_response text,
    preauthorization_minor integer,
    card_last4 text,
    -- 1 when the API sent a transaction at all.
    has_transaction integer not null,
    transaction_id integer,
    transaction_type text,
    transaction_date text,
    amount_minor integer,
    reading integer not null,
    -- The first reading that held it.
    first_reading integer not null,
    content integer not null,
    gone_in integer,
    constraint authorization_key primary key (authorization_id, transaction_key)
) strict, without rowid;

insert into authorization_record (
    authorization_id, transaction_key, day, merchant_id, batch_id, currency,
    authorization_response, preauthorization_minor, card_last4, has_transaction,
    transaction_id, transaction_type, transaction_date, amount_minor,
    reading, first_reading, content, gone_in
)
select
    authorization_id, coalesce(transaction_id, 0), day, merchant_id, batch_id, currency,
    authorization_response, preauthorization_minor, card_last4, has_transaction,
    transaction_id, transaction_type, transaction_date, amount_minor,
    reading, first_reading, content, gone_in
from authorization
order by authorization_id;

-- What a record said before goes by the same two ids.
update record_version
set id = id || '/' || coalesce(
    (
        select item.transaction_key from authorization_record as item
        where item.authorization_id = cast(record_version.id as integer)
    ), 0)
where kind = 'authorization';

create table overtaken_before as
select
    overtaken.reading_id,
    overtaken.record_id,
    case when listing.resource = 'authorizations' then coalesce(
        (
            select item.transaction_key from authorization_record as item
            where item.authorization_id = overtaken.record_id
        ), 0) else 0 end as part,
    overtaken.content
from overtaken
inner join reading on reading.reading_id = overtaken.reading_id
inner join listing on listing.listing_id = reading.listing_id;
drop table overtaken;

-- grain: as before; the part tells the records of one authorization apart, and is 0 of all others.
create table overtaken (
    reading_id integer not null,
    record_id integer not null,
    part integer not null default 0,
    content integer not null,
    constraint overtaken_key primary key (reading_id, record_id, part),
    constraint overtaken_is_a_reading
        foreign key (reading_id) references reading (reading_id)
) strict, without rowid;
insert into overtaken (reading_id, record_id, part, content)
select reading_id, record_id, part, content from overtaken_before;
drop table overtaken_before;

drop table authorization;
alter table authorization_record rename to authorization;
create index authorization_by_batch on authorization (day, batch_id);
create index authorization_by_transaction on authorization (transaction_id)
    where transaction_id is not null;

-- grain: an authorization of which several records were read.
create table split_authorization (
    authorization_id integer not null,
    constraint split_authorization_key primary key (authorization_id)
) strict, without rowid;

create trigger authorization_is_split after insert on authorization
when exists (
    select 1 from authorization as other
    where other.authorization_id = new.authorization_id
      and other.transaction_key <> new.transaction_key
)
begin
    insert or ignore into split_authorization (authorization_id)
    values (new.authorization_id);
end;

-- purpose: whose an authorization is: one that names no merchant is its batch's.
-- grain: one authorization with one of its transactions, or without any.
create view owned_authorization as
select
    item.authorization_id,
    item.transaction_key,
    item.day,
    coalesce(
        item.merchant_id,
        (select batch.merchant_id from batch where batch.batch_id = item.batch_id)
    ) as merchant_id,
    item.batch_id,
    item.currency,
    item.authorization_response,
    item.preauthorization_minor,
    item.card_last4,
    item.has_transaction,
    item.transaction_id,
    item.transaction_type,
    item.transaction_date,
    item.amount_minor,
    item.first_reading,
    item.gone_in
from authorization as item;

create trigger authorization_is_overtaken after update of reading on authorization
when exists (select 1 from reading where reading_id = old.reading and verdict = 'reading')
begin
    insert or ignore into overtaken (reading_id, record_id, part, content)
    values (old.reading, old.authorization_id, old.transaction_key, old.content);
end;

create trigger authorization_keeps_its_versions after update on authorization
when old.merchant_id is not new.merchant_id
    or old.day is not new.day
    or old.batch_id is not new.batch_id
    or old.currency is not new.currency
    or old.authorization_response is not new.authorization_response
    or old.preauthorization_minor is not new.preauthorization_minor
    or old.transaction_id is not new.transaction_id
    or old.transaction_type is not new.transaction_type
    or old.transaction_date is not new.transaction_date
    or old.amount_minor is not new.amount_minor
    or (old.gone_in is null) <> (new.gone_in is null)
begin
    delete from record_version
    where kind = 'authorization'
      and id = old.authorization_id || '/' || old.transaction_key
      and replaced_in = old.gone_in
      and new.gone_in is null
      and new.reading < old.gone_in;
    insert or ignore into record_version (
        kind, id, replaced_in, reading, day, merchant_id, was_gone, content
    ) values (
        'authorization', old.authorization_id || '/' || old.transaction_key,
        max(new.reading, coalesce(new.gone_in, 0)), old.reading, old.day, old.merchant_id,
        old.gone_in is not null and (new.gone_in is not null or new.reading > old.gone_in),
        json_object(
            'batch_id', old.batch_id,
            'currency', old.currency,
            'batch_date', nullif(old.day, ''),
            'response', old.authorization_response,
            'preauthorization_amount', old.preauthorization_minor,
            'transaction_id', old.transaction_id,
            'type', old.transaction_type,
            'transaction_date', old.transaction_date,
            'amount', old.amount_minor
        )
    );
end;

insert into upgraded (to_version, up_to_reading)
select 10, coalesce(max(reading_id), 0) from reading;
