-- purpose: closed business dates whose files were not written since.
-- grain: one business date.
select closed.subject
from audit as closed
where closed.act = 'close'
  and not exists (
      select 1
      from audit as later
      where later.subject = closed.subject
        and later.act in ('close', 'reopen date', 'report')
        and later.sequence > closed.sequence
  )
order by closed.subject
