-- purpose: note that a date was reconciled from the current content of the
-- store. It is stale while an earlier date that it starts from is stale.
-- grain: one business date.
insert into business_day (
    business_date, reconciled, stale, is_complete, configuration_digest,
    last_run
) values (
    :business_date,
    1,
    exists (
        select 1 from business_day as earlier
        where earlier.reconciled
          and earlier.stale
          and earlier.business_date < :business_date
    ),
    :is_complete, :configuration_digest, :last_run
)
on conflict (business_date) do update set
    reconciled = 1,
    stale = excluded.stale,
    is_complete = excluded.is_complete,
    configuration_digest = excluded.configuration_digest,
    last_run = excluded.last_run
