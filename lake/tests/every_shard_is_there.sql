-- Fails on a date that lacks a shard or has two shardings. A day before the
-- first business date has only the shards that read records of it.
select
    business_date,
    count(*) as there,
    max(shards) as wanted
from {{ ref('whole_partitions') }}
group by business_date
having min(shards) <> max(shards)
    or (
        count(*) <> max(shards)
        and sum(case when is_reconciled then 1 else 0 end) > 0
    )
