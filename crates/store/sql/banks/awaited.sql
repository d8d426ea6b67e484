-- purpose: the deposits of which a date awaited the statement, or could not
-- evaluate after an earlier one had.
-- grain: one deposit; ?1 the date.
select ach_deposit_id
from bank_match_result
where business_date = ?1
  and ach_deposit_id is not null
  and (
      verdict = 'awaiting_statement'
      or (verdict = 'not_evaluated' and due_date < business_date)
  )
