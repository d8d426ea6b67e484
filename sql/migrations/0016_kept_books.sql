-- purpose: what is kept of the books when a date is done, so that the next one need not match the
-- years again. All of it can be made anew from the rest of the store.

-- grain: one merchant and reconciled date.
create table kept_books (
    merchant_id text not null,
    business_date text not null,
    -- The last reading, and the last change of a ledger, that it knows of.
    reading_id integer not null,
    change_id integer not null,
    -- A digest of the settings and of what else it rests on.
    made_for text not null,
    -- JSON, compressed with zstd.
    content blob not null,
    constraint kept_books_key primary key (merchant_id, business_date)
) strict, without rowid;

-- grain: one name that something later may share with what is not kept: a hash of the merchant, the
-- side that carries it and the name.
create table kept_name (
    name integer not null,
    -- The earliest date that did not keep it.
    business_date text not null,
    constraint kept_name_key primary key (name)
) strict;

-- grain: one import that changed what a ledger file gives.
create table ledger_change (
    change_id integer not null,
    ledger text not null,
    -- The earliest date of a record that came, went or changed.
    since text not null,
    constraint ledger_change_key primary key (change_id)
) strict;
create index ledger_change_by_ledger on ledger_change (ledger, change_id);

create index ledger_record_by_date on ledger_record (file_id, date);
create index ledger_record_by_id on ledger_record (ledger_id);
