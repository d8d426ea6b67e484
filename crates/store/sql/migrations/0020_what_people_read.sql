-- purpose: keep what the reports say of decisions with what a date came to.

-- grain: one discrepancy that is there and accepted on a date, with the act
-- that accepted it, so that writing the reports again says the same; is_new when
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
