-- The schedule fired at :fired_at. After a clock is set back, no moment fires
-- twice.
insert into schedule_firing (fired_at)
values (:fired_at)
on conflict (fired_at) do nothing
