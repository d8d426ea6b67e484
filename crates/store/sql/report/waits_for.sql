-- purpose: the reasons that keep dates from being final, as of one date, as far
-- as its results name them: money in transit and open discrepancies.
-- grain: one batch, bank transfer, transaction on hold or discrepancy.
-- parameters: :as_of.
select
    transit.date as day,
    case transit.kind
        when 'batch' then 'batch'
        when 'held' then 'held'
        else 'transfer'
    end as kind,
    '' as code,
    nullif(transit.due_date, '') as due_date
from transit_result as transit
where transit.business_date = :as_of and transit.date <> ''
union all
select
    -- A finding without a day holds back every date.
    coalesce(found.batch_date, '') as day,
    'discrepancy' as kind,
    found.code,
    null as due_date
from discrepancy_day as found
where found.business_date = :as_of and found.status <> 'cleared'
order by 1, 2, 3, 4
