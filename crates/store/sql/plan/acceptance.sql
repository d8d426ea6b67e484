-- purpose: whether a discrepancy is accepted as of a date, and by which person.
-- grain: one row, or none without an act of acceptance; ?1 id, ?2 date.
select
    act = 'accept' and (until = '' or until >= ?2) as is_accepted,
    moment, business_date, until, who, note
from audit
where subject = ?1
  and act in ('accept', 'reopen')
  and business_date <= ?2
order by sequence desc
limit 1
