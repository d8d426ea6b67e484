-- purpose: the whole audit trail, to prove its chain.
-- grain: one act.
select
    sequence, moment, act, subject, business_date, until, who, note,
    previous_hash, hash
from audit
order by sequence
