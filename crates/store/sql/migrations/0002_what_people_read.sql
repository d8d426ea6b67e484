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
