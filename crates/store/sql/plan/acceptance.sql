-- purpose: whether a discrepancy is accepted as of a date.
-- grain: one row: 1 or 0, or none when nobody ever said anything; ?1 id, ?2
-- date.
select act = 'accept' and (until = '' or until >= ?2)
from audit
where subject = ?1
  and act in ('accept', 'reopen')
  and business_date <= ?2
order by sequence desc
limit 1
