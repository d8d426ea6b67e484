-- purpose: what comparing the deposits with the merchants' bank statements came to, filled in
-- by the program after pairing and selected by the bank checks.

-- grain: a bank check that cannot be evaluated for a merchant, and why.
create temp table bank_unread (
    merchant_id text not null,
    code text not null,
    reason text not null
) strict;

-- grain: one discrepancy between the deposits and the bank, or one that cannot be told (then
-- problem says why).
create temp table bank_findings (
    code text not null,
    merchant_id text not null,
    subject text not null,
    currency text,
    expected integer,
    actual integer,
    batch_date text,
    ach_deposit_id text not null,
    explanation text not null,
    problem text,
    constraint bank_findings_key primary key (code, merchant_id, subject)
) strict;
