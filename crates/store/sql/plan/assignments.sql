-- purpose: every assignment up to a date, in the order of the acts.
-- grain: one act; ?1 date.
select
    sequence, moment, act, subject, business_date, until, who, note,
    sums, previous_hash, hash, owner, ticket, due_date
from audit
where act = 'assign'
  and business_date <= ?1
order by sequence
