-- purpose: add a row at the end of the audit trail; triggers refuse any other
-- place.
-- grain: one act.
insert into audit (
    sequence, moment, act, subject, business_date, until, who, note,
    sums, previous_hash, hash, owner, ticket, due_date
) values (
    :sequence, :moment, :act, :subject, :business_date, :until, :who, :note,
    :sums, :previous_hash, :hash, :owner, :ticket, :due_date
)
