-- The schedule fired at :fired_at. A clock that was set back fires no moment
-- twice.
insert into schedule_firing (fired_at)
values (:fired_at)
on conflict (fired_at) do nothing
