-- purpose: every removal of pages that a page or the audit trail names.
-- grain: one removal: its row in the audit trail, with its note.
with removals as (
    select sequence from audit where act = 'prune'
    union
    select distinct pruned_by from page_body where pruned_by is not null
)
select removals.sequence, audit.note
from removals
left join audit on audit.sequence = removals.sequence and audit.act = 'prune'
order by removals.sequence
