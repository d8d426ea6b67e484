-- Fails where opening + new - cleared - accepted is not the closing, in number
-- or in money (with the changed amounts of those that stayed open).
select
    business_date, merchant_id, currency, opening, new_ones, cleared, accepted,
    closing, opening_minor, new_minor, cleared_minor, accepted_minor,
    changed_minor, closing_minor
from {{ ref('stg_summary') }}
where opening + new_ones - cleared - coalesce(accepted, 0) <> closing
    or opening_minor + new_minor - cleared_minor - accepted_minor
        + changed_minor <> closing_minor
