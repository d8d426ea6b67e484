-- purpose: whether a date has card transactions that no deposit held when they
-- were read.
-- grain: one row; ?1 date.
select exists (
    select 1 from transaction_total where day = ?1 and ach_deposit_id = 0
)
