-- purpose: every act about a discrepancy or a business date.
-- grain: one act; ?1 subject.
select
    sequence, moment, act, subject, business_date, until, who, note,
    sums, previous_hash, hash, owner, ticket, due_date
from audit
where subject = ?1
order by sequence
