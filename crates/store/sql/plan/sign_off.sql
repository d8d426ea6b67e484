-- purpose: whether a business date was signed off or taken back last.
-- grain: one row or none; ?1 business date.
select act
from audit
where subject = ?1
  and act in ('close', 'reopen date')
order by sequence desc
limit 1
