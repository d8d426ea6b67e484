-- purpose: note which reading was the first to say what a bank transfer says.
-- grain: one bank transfer.
insert into transfer_said (transfer_number, reading)
values (:transfer_number, :reading)
on conflict (transfer_number) do update set reading = excluded.reading
