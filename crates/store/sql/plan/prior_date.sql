-- purpose: the closed date in which a discrepancy was found, once it was
-- reported.
-- grain: one row or none; ?1 id, ?2 the date that is judged.
select min(closed_date)
from prior_finding
where discrepancy_id = ?1
  and reported_on <= ?2
  and not is_withdrawn
