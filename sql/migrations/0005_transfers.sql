-- purpose: bank transfers that came back without saying when, and why something is in transit.

-- grain: one bank transfer whose status is returned and that states no return, with the last
-- business date of the run that first read it so. It never changes.
create table undated_return (
    transfer_number integer not null,
    came_back_on text not null,
    constraint undated_return_key primary key (transfer_number)
) strict, without rowid;
create index bank_transfer_returned on bank_transfer (status, transfer_number)
    where status = 'returned';

-- Returns that nobody has handled, however old.
create index transfer_return_open on transfer_return (closed, payment_id)
    where represented <> 1 and closed = 0;

-- The processor's word for a bank transfer without a due date; null for what is merely not due.
-- date and due_date are empty where there is none.
alter table transit_result add column status text;
