-- purpose: note the first reading with the current content of a bank transfer.
-- grain: one bank transfer.
insert into transfer_said (transfer_number, reading)
values (:transfer_number, :reading)
on conflict (transfer_number) do update set reading = excluded.reading
