-- purpose: the deposits whose statement a date awaited, or that it could not
-- evaluate past their due date.
-- grain: one deposit; ?1 the date.
select ach_deposit_id
from bank_match_result
where business_date = ?1
  and ach_deposit_id is not null
  and (
      verdict = 'awaiting_statement'
      or (verdict = 'not_evaluated' and due_date < business_date)
  )
