-- purpose: assign unchanged authorizations to a reading.
-- grain: one authorization of a list of [id, transaction key].
update authorization set reading = ?1
where (authorization_id, transaction_key) in (
    select value ->> 0, value ->> 1 from json_each(?2)
)
