-- The date was fetched whole and reconciled.
update schedule_date
set is_done = 1
where business_date = :business_date
