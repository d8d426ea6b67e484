-- purpose: groups whose deposits pay other sales than their batches state: more
-- at once, less from the due date on.
-- grain: one business date and group.
{{ deposit_mismatch('DEPOSIT_SALES_MISMATCH', 'sales') }}
