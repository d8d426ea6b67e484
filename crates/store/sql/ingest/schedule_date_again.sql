-- At :now the moments at which these dates were named are still to come: the
-- clock was set back, and the dates may have been done before they had ended.
-- They are to be done again at those moments.
update schedule_date
set is_done = 0
where is_done
    and fired_at > :now
