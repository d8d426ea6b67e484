-- purpose: note that a date was reconciled from what the store holds now.
-- grain: one business date.
insert into business_day (
    business_date, reconciled, stale, is_complete, configuration_digest, last_run
) values (
    :business_date, 1, 0, :is_complete, :configuration_digest, :last_run
)
on conflict (business_date) do update set
    reconciled = 1,
    stale = 0,
    is_complete = excluded.is_complete,
    configuration_digest = excluded.configuration_digest,
    last_run = excluded.last_run
