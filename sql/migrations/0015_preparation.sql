-- purpose: a business date that two people sign off is prepared by the first of them. The audit
-- trail is carried over row by row, so that its chain stays what it was.

create table audit_with_preparation (
    sequence integer not null,
    -- When, RFC 3339 in UTC.
    moment text not null,
    act text not null,
    -- The discrepancy's id, or the business date.
    subject text not null,
    -- The first business date that it counts for.
    business_date text not null,
    -- The last business date that it counts for; empty without one.
    until text not null,
    who text not null,
    -- Why. Of a report: the SHA-256 of its run.json.
    note text not null,
    -- Empty for the first row.
    previous_hash text not null,
    hash text not null,
    constraint audit_key primary key (sequence),
    constraint audit_knows_the_act check (
        act in (
            'accept', 'reopen', 'prepare', 'close', 'reopen date', 'report',
            'prune'
        )
    ),
    constraint audit_names_who check (trim(who) <> '')
) strict;
insert into audit_with_preparation (
    sequence, moment, act, subject, business_date, until, who, note,
    previous_hash, hash
)
select
    sequence, moment, act, subject, business_date, until, who, note,
    previous_hash, hash
from audit
order by sequence;
drop table audit;
alter table audit_with_preparation rename to audit;
create index audit_by_subject on audit (subject, act, sequence);
create index audit_by_date on audit (act, business_date);
create index audit_by_until on audit (act, until) where until <> '';

create trigger audit_is_a_chain before insert on audit
when new.sequence is not (select sequence + 1 from audit_head)
    or new.previous_hash is not (select hash from audit_head)
begin
    select raise(abort, 'an audit row is added at the end of the chain and nowhere else');
end;
create trigger audit_moves_its_head after insert on audit
begin
    update audit_head set sequence = new.sequence, hash = new.hash;
end;
create trigger audit_is_never_changed before update on audit
begin
    select raise(abort, 'an audit row is never changed');
end;
create trigger audit_is_never_deleted before delete on audit
begin
    select raise(abort, 'an audit row is never deleted');
end;
