-- purpose: the dates that runs were to report which have begun since the last
-- run ended: those of runs that go on or were killed.
-- grain: one run; the dates joined with commas.
select begun.note
from audit as begun
where begun.subject = 'run'
  and begun.act = 'begin'
  and begun.sequence > coalesce((
      select max(ended.sequence)
      from audit as ended
      where ended.subject = 'run' and ended.act = 'end'
  ), 0)
order by begun.sequence
