-- purpose: groups whose deposits pay other returns than their batches state: more
-- at once, less from the due date on.
-- grain: one business date and group.
{{ deposit_mismatch('DEPOSIT_RETURNS_MISMATCH', 'returns') }}
