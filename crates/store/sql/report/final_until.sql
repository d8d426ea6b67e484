-- purpose: the date up to which every merchant was final, as of each reconciled
-- date.
-- grain: one business date; null where a merchant has no final date.
select
    result.business_date as as_of,
    case when count(nullif(result.final_date, '')) = count(*)
        then min(result.final_date) end as final_until
from business_day as day
cross join summary_result as result
    on result.business_date = day.business_date
where day.reconciled
group by result.business_date
order by result.business_date
