-- purpose: the state of deposits and lines at the banks as of a date: the
-- newest row up to it of each.
-- grain: one deposit, line or gap; ?1 the date.
select
    bank, kind, id, currency, merchant_id, day, due_date, amount_minor,
    bank_date, bank_minor, ach_deposit_id, place, verdict
from bank_standing_result as standing
where verdict <> 'gone'
  and business_date = (
      select max(newest.business_date)
      from bank_standing_result as newest
      where newest.bank = standing.bank
        and newest.kind = standing.kind
        and newest.id = standing.id
        and newest.business_date <= ?1
  )
order by bank, kind, id
