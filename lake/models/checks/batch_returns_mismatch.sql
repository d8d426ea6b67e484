-- purpose: batches whose header differs from their items in returns.
-- grain: one business date and batch, or merchant-day as a whole.
{{ batch_mismatch('BATCH_RETURNS_MISMATCH', 'items_returns', 'header_returns') }}
