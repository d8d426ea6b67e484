-- purpose: the checks that were on when a date was reconciled, as its run
-- record states them; not_evaluated says for whom one could not be made.
-- grain: one check; ?1 the business date.
-- column code text: the check
select evaluated.value as code
from run_record
cross join json_each(run_record.content, '$.checks.evaluated') as evaluated
where run_record.business_date = ?1
order by evaluated.value
