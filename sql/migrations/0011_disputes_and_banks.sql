-- purpose: what a date came to of disputes and at the banks; searches for what is rare.

-- grain: one dispute that was submitted or changed on a date, or was open.
create table dispute_result (
    business_date text not null,
    dispute_id integer not null,
    merchant_id text not null,
    merchant_name text not null,
    currency text,
    dispute_type text,
    status text,
    status_date text,
    received_date text,
    due_date text,
    amount_minor integer,
    fee_minor integer,
    transaction_id integer,
    authorization_id integer,
    -- The deposits whose adjustment it explains, joined with ;
    ach_deposit_id text not null,
    verdict text not null,
    constraint dispute_result_key primary key (business_date, dispute_id)
) strict, without rowid;

-- grain: one deposit paid on a date, or due at the bank on it, or one line of the processor that
-- no deposit explains.
create table bank_match_result (
    business_date text not null,
    ordinal integer not null,
    ach_deposit_id integer,
    merchant_id text not null,
    merchant_name text not null,
    currency text,
    payment_date text,
    due_date text,
    net_minor integer,
    bank text not null,
    bank_date text,
    bank_minor integer,
    -- Names and lines, joined with ;
    bank_file text not null,
    bank_line text not null,
    verdict text not null,
    constraint bank_match_result_key primary key (business_date, ordinal)
) strict, without rowid;

-- Digests of the numbers in the text of a line, joined with spaces: a deposit is known by its id.
-- The text itself is not kept.
alter table bank_line add column names text;

create index deposit_below_zero on deposit (merchant_id, day)
    where net_amount_minor < 0;
create index authorization_returned on authorization (merchant_id, card_last4, amount_minor)
    where transaction_type = 'return';
create index ledger_record_returned on ledger_record (merchant_id, amount_minor)
    where status = 'returned';
