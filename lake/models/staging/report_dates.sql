-- purpose: the dates that every shard has reconciled, with the first of them.
-- grain: one business date.
with dates as (
    select business_date
    from {{ ref('whole_partitions') }}
    group by business_date
    having count(*) = max(shards)
        and sum(case when is_reconciled then 1 else 0 end) = count(*)
)
select
    business_date,
    min(business_date) over () as start_date
from dates
