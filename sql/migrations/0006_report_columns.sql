-- purpose: what the reports say of disputes, the bank, money on hold and the roll-forward in money.
-- Null in the results of an older program: an empty cell.
alter table discrepancy_day add column dispute_id text;
alter table prior_finding add column dispute_id text;

alter table deposit_result add column disputed_minor integer;
alter table deposit_result add column bank_date text;
alter table deposit_result add column bank_minor integer;
alter table deposit_result add column bank_verdict text;
-- Batch dates, joined with ;
alter table deposit_result add column pays_for text;

alter table batch_result add column on_hold_minor integer;
alter table batch_result add column settled_elsewhere_minor integer;
alter table batch_result add column withdrawn_minor integer;

alter table match_result add column note text;

alter table summary_result add column opening_minor integer;
alter table summary_result add column new_minor integer;
alter table summary_result add column cleared_minor integer;
alter table summary_result add column accepted integer;
alter table summary_result add column accepted_minor integer;
alter table summary_result add column on_hold_minor integer;
alter table summary_result add column overdue_minor integer;
alter table summary_result add column final_date text;
