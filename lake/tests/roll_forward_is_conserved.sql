-- Fails where opening + new - cleared - accepted is not the closing.
select business_date, merchant_id, currency, opening, new_ones, cleared, accepted, closing
from {{ ref('stg_summary') }}
where opening + new_ones - cleared - coalesce(accepted, 0) <> closing
