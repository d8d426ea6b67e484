-- purpose: keep the acceptance of a discrepancy that exists on a date.
-- grain: one accepted discrepancy.
insert into acceptance_result (
    business_date, discrepancy_id, who, moment, note, accepted_from,
    accepted_until, is_new
) values (
    :business_date, :discrepancy_id, :who, :moment, :note, :accepted_from,
    :accepted_until, :is_new
)
