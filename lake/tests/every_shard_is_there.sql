-- Fails on a date of which a shard is missing, or that is there in two shardings.
select business_date, count(*) as there, max(shards) as wanted
from {{ ref('whole_partitions') }}
group by business_date
having count(*) <> max(shards) or min(shards) <> max(shards)
