-- purpose: assign unchanged card transactions to a reading.
-- grain: one transaction of a list of [id, 0].
update card_transaction set reading = ?1
where transaction_id in (select value ->> 0 from json_each(?2))
