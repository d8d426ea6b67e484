-- purpose: batches whose header differs from their items in sales.
-- grain: one business date and batch, or merchant-day as a whole.
{{ batch_mismatch('BATCH_SALES_MISMATCH', 'items_sales', 'header_sales') }}
