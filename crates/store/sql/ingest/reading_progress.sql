-- purpose: count a page into its reading.
-- grain: one reading.
update reading set
    pages = pages + 1,
    records = records + :records,
    bytes = bytes + :bytes
where reading_id = :reading_id
