-- purpose: an id that tells this store from others; every manifest names it.

-- grain: the store, one row.
create table store_id (
    only_row integer not null,
    -- 128 random bits in hexadecimal. A copy of the store keeps it.
    id text not null,
    constraint store_id_key primary key (only_row),
    constraint store_id_is_one_row check (only_row = 1)
) strict;

insert into store_id (only_row, id) values (1, lower(hex(randomblob(16))));
