-- purpose: keep what the reports say of decisions with what a date came to.

-- grain: one discrepancy that is there and accepted on a date, with the act
-- that accepted it, so that writing the reports again says the same. is_new:
-- the discrepancy was open on the reconciled date before.
create table acceptance_result (
    business_date text not null,
    discrepancy_id text not null,
    who text not null,
    moment text not null,
    note text not null,
    accepted_from text not null,
    accepted_until text,
    is_new integer not null,
    constraint acceptance_result_key primary key (business_date, discrepancy_id)
) strict, without rowid;

-- How a cause ends: the key to set, the file to send; null when reading again
-- is all there is.
alter table not_evaluated add column remedy text;

-- What the absolute differences of what stayed open grew by.
alter table summary_result add column changed_minor integer;

-- The currency of what was expected, where it is not that of the row.
alter table discrepancy_day add column expected_currency text;
alter table prior_finding add column expected_currency text;

-- How the deposit itself ties out as of the date, whatever the bank shows.
alter table bank_match_result add column deposit_verdict text;

-- Where a deposit or a line of a statement stands, or what was not read, as of
-- a date: a row where it stands elsewhere than on the date before.
create table bank_standing_result (
    bank text not null,
    kind text not null,
    -- The deposit, the key of the line, what is missing.
    id text not null,
    business_date text not null,
    currency text,
    merchant_id text not null,
    day text,
    due_date text,
    amount_minor integer,
    bank_date text,
    bank_minor integer,
    ach_deposit_id text not null,
    place text not null,
    -- Also gone: it is not there any more.
    verdict text not null,
    constraint bank_standing_result_key
        primary key (bank, kind, id, business_date)
) strict, without rowid;
create index bank_standing_result_date on bank_standing_result (business_date);

-- What people decide about a finding beside accepting it. The audit trail is
-- carried over row by row, so that its chain stays what it was.
create table audit_with_assignments (
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
    -- Of an assignment: to whom, under which ticket, due when; empty without.
    owner text not null default '',
    ticket text not null default '',
    due_date text not null default '',
    constraint audit_key primary key (sequence),
    constraint audit_knows_the_act check (
        act in (
            'accept', 'reopen', 'assign', 'prepare', 'close', 'reopen date',
            'report', 'prune'
        )
    ),
    constraint audit_names_who check (trim(who) <> ''),
    constraint audit_assigns_what_is_assigned
        check (act = 'assign' or owner || ticket || due_date = '')
) strict;
insert into audit_with_assignments (
    sequence, moment, act, subject, business_date, until, who, note,
    previous_hash, hash
)
select
    sequence, moment, act, subject, business_date, until, who, note,
    previous_hash, hash
from audit
order by sequence;
drop table audit;
alter table audit_with_assignments rename to audit;
create index audit_by_subject on audit (subject, act, sequence);
create index audit_by_date on audit (act, business_date);
create index audit_by_until on audit (act, until) where until <> '';

create trigger audit_is_a_chain before insert on audit
when new.sequence is not (select sequence + 1 from audit_head)
    or new.previous_hash is not (select hash from audit_head)
begin
    select raise(
        abort,
        'an audit row is added at the end of the chain and nowhere else'
    );
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

-- What is assigned as of the date; null where nothing is.
alter table discrepancy_day add column owner text;
alter table discrepancy_day add column ticket text;
alter table discrepancy_day add column due_date text;
alter table discrepancy_day add column note text;

-- grain: one discrepancy that a date reported and that a later run over the
-- same date did not find any more: as it was last reported.
create table withdrawn_finding (
    business_date text not null,
    discrepancy_id text not null,
    code text not null,
    severity text not null,
    status text not null,
    is_carried integer not null,
    first_seen text not null,
    age_days integer not null,
    subject text not null,
    merchant_id text not null,
    merchant_name text not null,
    currency text,
    figure text not null,
    has_difference integer not null,
    expected integer,
    actual integer,
    batch_date text,
    batch_id text not null,
    ach_deposit_id text not null,
    authorization_id text not null,
    transaction_id text not null,
    payment_id text not null,
    refund_id text not null,
    order_id text not null,
    ledger_id text not null,
    explanation text not null,
    action text not null,
    dispute_id text,
    expected_currency text,
    -- When the last run that reported it ended, and the run that did not,
    -- RFC 3339 in UTC.
    reported_at text not null,
    withdrawn_at text not null,
    constraint withdrawn_finding_key
        primary key (discrepancy_id, business_date),
    constraint withdrawn_finding_severity
        check (severity in ('info', 'warning', 'error')),
    constraint withdrawn_finding_figure check (figure in ('amount', 'count'))
) strict, without rowid;
create index withdrawn_finding_by_date on withdrawn_finding (business_date);
