-- purpose: keep a status of a dispute, in the order in which its list states
-- it.
-- grain: one status.
insert into dispute_status (
    listing_id, ordinal, dispute_id, dispute_status_id, status, status_date,
    reading
) values (
    :listing_id, :ordinal, :dispute_id, :dispute_status_id, :status,
    :status_date, :reading
)
