-- The totals that a reading states for its pages.
--
-- One row, or none. Parameters: ?1 the reading.
select
    reading.digest,
    reading.pages,
    reading.records,
    reading.verdict,
    reading.error is not null as has_error,
    reading.starts
from reading
where reading.reading_id = ?1;
