-- purpose: what the recomputed checks find on each date. It is certain where
-- every date so far could be evaluated in full: a listing that is not complete
-- accuses nobody.
-- grain: one business date, check and subject.
with found as (
{% for check in [
    'deposit_net_mismatch', 'deposit_fees_mismatch', 'deposit_without_batch',
    'fee_without_deposit', 'funds_held', 'batch_sales_mismatch',
    'batch_returns_mismatch', 'batch_count_mismatch', 'item_without_batch',
    'duplicate_transaction', 'declined_but_captured',
    'capture_exceeds_authorization', 'settled_despite_status',
    'transfer_not_settled', 'return_outstanding', 'deposit_sales_mismatch',
    'deposit_returns_mismatch', 'deposit_count_mismatch',
    'batch_without_deposit', 'dispute_open', 'disputed_and_refunded',
    'duplicate_batch', 'time_zone_doubtful', 'merchant_not_listed',
    'unknown_merchant', 'refund_exceeds_payment', 'refund_returned'
] %}
select business_date, code, merchant_id, subject, expected, actual
from {{ ref(check) }}
{% if not loop.last %}union all{% endif %}
{% endfor %}
)
select
    found.business_date,
    found.code,
    found.merchant_id,
    found.subject,
    found.expected,
    found.actual,
    dates.is_certain
from found
inner join {{ ref('report_dates') }} as dates
    on dates.business_date = found.business_date
