-- purpose: whether the key was told, when it asked last, that it has not an
-- operation.
-- grain: one row; ?1 the operation.
select exists (select 1 from key_operation where name = ?1 and not is_there)
