-- purpose: who has prepared a business date for its sign-off, as it stands now.
-- grain: one row or none; ?1 business date.
select who
from (
    select act, who, moment
    from audit
    where subject = ?1
      and act in ('prepare', 'close', 'reopen date')
    order by sequence desc
    limit 1
)
where act = 'prepare'
  -- What was reconciled again since is not what that person has seen.
  and moment >= coalesce((
      select last_run from business_day where business_date = ?1
  ), '')
