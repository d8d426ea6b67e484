-- purpose: the dates that every shard has reconciled, with the first of them,
-- and whether all since the first could be evaluated in full.
-- grain: one business date.
with dates as (
    select
        business_date,
        min(case when is_complete then 1 else 0 end) as is_complete
    from {{ ref('whole_partitions') }}
    group by business_date
    having count(*) = max(shards)
        and sum(case when is_reconciled then 1 else 0 end) = count(*)
)
select
    business_date,
    min(business_date) over () as start_date,
    min(is_complete) over (
        order by business_date
        rows between unbounded preceding and current row
    ) = 1 as is_certain
from dates
