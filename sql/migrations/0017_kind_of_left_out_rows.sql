-- purpose: a row that could not be read hides no item of the other kind: payment, refund, or
-- unknown.
alter table ledger_quarantine add column kind text;
