-- purpose: what could be read of a ledger row that was left out, as it may be the record that an item
-- lacks. Null is not readable, or from before this schema.
alter table ledger_quarantine add column merchant_id text;
alter table ledger_quarantine add column date text;
alter table ledger_quarantine add column amount_minor integer;
alter table ledger_quarantine add column currency text;
alter table ledger_quarantine add column reference text;
