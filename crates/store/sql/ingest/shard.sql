-- A new store is for the share :name of the merchants, for good.
insert into shard (only_row, name, merchants_digest)
values (1, :name, '')
on conflict (only_row) do nothing
