-- purpose: a bank transfer is read again every night for weeks and says the
-- same; the books are matched again only where one says something else.

-- grain: one bank transfer.
create table transfer_said (
    transfer_number integer not null,
    -- The first reading that said of it what it says now; after an upgrade the
    -- last one that held it.
    reading integer not null,
    constraint transfer_said_key primary key (transfer_number)
) strict;
insert into transfer_said (transfer_number, reading)
select transfer_number, reading from bank_transfer;
