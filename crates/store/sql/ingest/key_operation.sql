-- Whether the key has the operation :name, as the API said last.
insert into key_operation (name, is_there)
values (:name, :is_there)
on conflict (name) do update
set is_there = excluded.is_there
