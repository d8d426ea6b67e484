-- The last moment at which the schedule fired.
select fired_at
from schedule_firing
order by fired_at desc
limit 1
