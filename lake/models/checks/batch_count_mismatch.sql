-- purpose: batches whose header differs from their items in count.
-- grain: one business date and batch, or merchant-day as a whole.
{{ batch_mismatch('BATCH_COUNT_MISMATCH', 'items', 'header_items') }}
