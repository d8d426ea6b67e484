-- purpose: the merchants that stand in a listing, by its date.
-- grain: one date and merchant.
{% for table in [
    'deposits', 'batches', 'authorizations', 'fees', 'bank_transfers',
    'settled_transfers', 'transactions', 'disputes'
] %}
select business_date, merchant_id
from {{ ref('stg_' ~ table) }}
where merchant_id is not null
{% if not loop.last %}union{% endif %}
{% endfor %}
