-- Whether the key has the operation :name, by the latest answer of the API.
insert into key_operation (name, is_there)
values (:name, :is_there)
on conflict (name) do update
set is_there = excluded.is_there
