-- purpose: discrepancies whose ids begin alike, including those that a rerun
-- withdrew; ids are hexadecimal, so 'g' ends them all.
-- grain: one discrepancy, two at the most; ?1 the beginning.
select discrepancy_id
from discrepancy_day
where discrepancy_id >= ?1
  and discrepancy_id < ?1 || 'g'
  and ?1 <> ''
union
select discrepancy_id
from withdrawn_finding
where discrepancy_id >= ?1
  and discrepancy_id < ?1 || 'g'
  and ?1 <> ''
order by discrepancy_id
limit 2
