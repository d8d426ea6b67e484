-- purpose: keep a finding that a run made in a closed date; one that was
-- reported stays reported.
-- grain: one discrepancy in one closed date.
insert into prior_finding (
    closed_date, discrepancy_id, code, severity, is_carried, subject,
    merchant_id,
    currency, figure, has_difference, expected, actual, batch_date, batch_id,
    ach_deposit_id, authorization_id, transaction_id, payment_id, refund_id,
    order_id,
    ledger_id, explanation, action, dispute_id, expected_currency
) values (
    :business_date, :discrepancy_id, :code, :severity, :is_carried, :subject,
    :merchant_id,
    :currency, :figure, :has_difference, :expected, :actual, :batch_date,
    :batch_id,
    :ach_deposit_id, :authorization_id, :transaction_id, :payment_id,
    :refund_id, :order_id,
    :ledger_id, :explanation, :action, :dispute_id, :expected_currency
)
on conflict (closed_date, discrepancy_id) do update set
    -- A finding that comes back is to be reported again.
    reported_on = case when not is_withdrawn then reported_on end,
    is_withdrawn = 0,
    severity = excluded.severity,
    currency = excluded.currency,
    expected_currency = excluded.expected_currency,
    expected = excluded.expected,
    actual = excluded.actual,
    batch_date = excluded.batch_date,
    explanation = excluded.explanation
