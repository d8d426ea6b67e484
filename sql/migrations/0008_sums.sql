-- purpose: a sum over the rows of every table that nothing else proves.

-- grain: one table. Triggers of the connection that writes keep it; src/store/sums.rs says how.
create table table_sum (
    name text not null,
    -- Exclusive or of the SHA-256 of each row.
    digest blob not null,
    constraint table_sum_key primary key (name)
) strict, without rowid;
