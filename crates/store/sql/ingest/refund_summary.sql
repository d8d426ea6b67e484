-- purpose: keep a refund as its payment states it now.
-- grain: one refund of one payment.
insert into refund_summary (
    payment_id, refund_id, run_at, currency, amount_minor, status
) values (
    :payment_id, :refund_id, :run_at, :currency, :amount_minor, :status
)
