-- The schedule named :business_date when it fired at :fired_at; the date is to
-- be done (again).
insert into schedule_date (business_date, fired_at, is_done)
values (:business_date, :fired_at, 0)
on conflict (business_date) do update
set fired_at = excluded.fired_at, is_done = 0
