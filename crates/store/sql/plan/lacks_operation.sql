-- purpose: whether the API refused an operation to the key when it was last
-- requested.
-- grain: one row; ?1 the operation.
select exists (select 1 from key_operation where name = ?1 and not is_there)
