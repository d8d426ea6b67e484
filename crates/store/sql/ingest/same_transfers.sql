-- purpose: assign unchanged bank transfers to their newest readings.
-- grain: one bank transfer of a list of [number, reading].
update bank_transfer set reading = held.reading
from (
    select value ->> 0 as transfer_number, value ->> 1 as reading
    from json_each(?1)
) as held
where bank_transfer.transfer_number = held.transfer_number
