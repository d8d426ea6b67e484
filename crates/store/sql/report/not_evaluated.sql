-- purpose: the checks that could not be evaluated on a date.
-- grain: one check, merchant, scope and reason; ?1 business date.
select code, merchant_id, scope, reason, remedy
from not_evaluated
where business_date = ?1
order by code, merchant_id, scope, reason
