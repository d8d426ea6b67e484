-- purpose: the date up to which each merchant is final, as of one date.
-- grain: one merchant; null without a final date.
-- parameters: :as_of.
select
    result.merchant_id,
    case when count(nullif(result.final_date, '')) = count(*)
        then min(result.final_date) end as final_until
from summary_result as result
where result.business_date = :as_of
group by result.merchant_id
order by result.merchant_id
