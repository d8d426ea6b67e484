-- purpose: begin a new fetch of a business date under a number of its own.
-- grain: one business date.
insert into business_day (business_date, session, fetch_began, fetch_state)
values (
    :business_date,
    (select coalesce(max(session), 0) + 1 from business_day),
    :began,
    'fetching'
)
on conflict (business_date) do update set
    session = excluded.session,
    fetch_began = excluded.fetch_began,
    fetch_state = 'fetching'
returning session
