-- purpose: the whole audit trail, to prove its chain.
-- grain: one act.
select
    sequence, moment, act, subject, business_date, until, who, note,
    sums, previous_hash, hash, owner, ticket, due_date
from audit
order by sequence
