-- purpose: how far the files of a ledger reach, to notice one that did not
-- come, and the lines that a bank corrects one by one, also across files.

-- The newest date of a record of the file; null without any, or from before
-- this schema.
alter table ledger_file add column last_date text;

-- The bank's own id of the line, hashed; null where the format has none.
alter table bank_line add column id_hash text;

-- grain: one line of an earlier file that a file replaces or deletes.
create table bank_correction (
    file_id integer not null,
    account_last4 text not null,
    id_hash text not null,
    constraint bank_correction_key
        primary key (file_id, account_last4, id_hash),
    constraint bank_correction_of_a_file
        foreign key (file_id) references bank_file (file_id) on delete cascade
) strict, without rowid;
