-- purpose: the partitions that are whole: a manifest comes last.
-- grain: one business date and shard.
select
    cast(business_date as date) as business_date,
    shard,
    shards,
    is_reconciled,
    is_complete,
    is_stale
from {{ manifests() }}
