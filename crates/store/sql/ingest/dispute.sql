-- purpose: keep the newest content of a dispute.
-- grain: one dispute; changes no row when this reading or a newer one holds it
-- already.
insert into dispute (
    dispute_id, day, merchant_id, dispute_type, status, status_date,
    created_date,
    received_date, reference_number, amount_minor, fee_minor, currency,
    card_last4,
    transaction_id, transaction_type, transaction_date, transaction_minor,
    reading, content
) values (
    :dispute_id, :day, :merchant_id, :dispute_type, :status, :status_date,
    :created_date,
    :received_date, :reference_number, :amount_minor, :fee_minor, :currency,
    :card_last4,
    :transaction_id, :transaction_type, :transaction_date, :transaction_minor,
    :reading, :content
)
on conflict (dispute_id) do update set
    day = excluded.day,
    merchant_id = excluded.merchant_id,
    dispute_type = excluded.dispute_type,
    status = excluded.status,
    status_date = excluded.status_date,
    created_date = excluded.created_date,
    received_date = excluded.received_date,
    reference_number = excluded.reference_number,
    amount_minor = excluded.amount_minor,
    fee_minor = excluded.fee_minor,
    currency = excluded.currency,
    card_last4 = excluded.card_last4,
    transaction_id = excluded.transaction_id,
    transaction_type = excluded.transaction_type,
    transaction_date = excluded.transaction_date,
    transaction_minor = excluded.transaction_minor,
    reading = excluded.reading,
    content = excluded.content,
    gone_in = null
where dispute.reading < excluded.reading
