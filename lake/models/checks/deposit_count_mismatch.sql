-- purpose: groups whose deposits pay other count than their batches state: more
-- at once, less from the due date on.
-- grain: one business date and group.
{{ deposit_mismatch('DEPOSIT_COUNT_MISMATCH', 'items') }}
