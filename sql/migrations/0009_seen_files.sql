-- purpose: the size and times of a ledger file as it was read, so that one which was not written to
-- since is not read again. Null is not known, or from before this schema.
alter table ledger_file add column seen text;
