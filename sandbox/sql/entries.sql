-- All commands and answers, oldest first.
-- Grain: one row per entry. No parameters.

select
    sequence,
    command,
    idempotency_key,
    request,
    status,
    location,
    body
from journal
order by sequence
