-- purpose: whether a later date already lists a discrepancy itself.
-- grain: one row; ?1 id, ?2 the closed date.
select exists (
    select 1 from discrepancy_day
    where discrepancy_id = ?1
      and business_date > ?2
      and status in ('new', 'open', 'accepted')
) and not exists (
    select 1 from prior_finding where discrepancy_id = ?1 and not is_withdrawn
)
