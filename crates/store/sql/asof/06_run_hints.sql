-- purpose: the dates that do not tie out and are in no run, with their
-- difference.
-- grain: one merchant and date.
create temp table lone_dates as
select
    dates.merchant_id,
    dates.day,
    max(dates.currency) over (partition by dates.merchant_id) as currency,
    iif(paid.day is null, dates.deposit_sales_minor, 0)
        - dates.batch_sales_minor as sales_minor,
    iif(paid.day is null, dates.deposit_returns_minor, 0)
        - dates.batch_returns_minor as returns_minor,
    iif(paid.day is null, dates.deposit_transactions, 0)
        - dates.batch_transactions as transactions
from temp.open_dates as dates
left join temp.run_associations as paid
    on paid.merchant_id = dates.merchant_id
    and paid.day = dates.day
where (dates.merchant_id, dates.day)
    not in (select merchant_id, day from temp.run_days);

-- purpose: the date that cancels such a date.
-- grain: one merchant and date.
create temp view cancelling_dates as
select one.merchant_id, one.day, min(other.day) as other_day
from temp.lone_dates as one
inner join temp.merchants as merchants
    on merchants.merchant_id = one.merchant_id
inner join temp.lone_dates as other
    on other.merchant_id = one.merchant_id
    and other.day <> one.day
    and other.sales_minor = -one.sales_minor
    and other.returns_minor = -one.returns_minor
    and other.transactions = -one.transactions
where banking_days(min(one.day, other.day), max(one.day, other.day),
    merchants.calendar) <= 5
group by one.merchant_id, one.day;

-- purpose: the runs near such a date, by their distance.
-- grain: one merchant, date and run.
create temp view runs_beside as
select
    lone.merchant_id,
    lone.day,
    spans.first_day,
    spans.last_day,
    paid.first_association,
    paid.last_association,
    paid.sales_minor - spans.sales_minor as sales_minor,
    paid.returns_minor - spans.returns_minor as returns_minor,
    paid.transactions - spans.transactions as transactions,
    row_number() over (
        partition by lone.merchant_id, lone.day
        order by
            abs(paid.sales_minor - spans.sales_minor)
                + abs(paid.returns_minor - spans.returns_minor),
            abs(paid.transactions - spans.transactions),
            spans.first_day, spans.last_day,
            paid.first_association, paid.last_association
    ) as place
from temp.lone_dates as lone
inner join temp.merchants as merchants
    on merchants.merchant_id = lone.merchant_id
inner join temp.batch_spans as spans
    on spans.merchant_id = lone.merchant_id
inner join temp.deposit_spans as paid
    on paid.merchant_id = spans.merchant_id
    and paid.stretch = spans.stretch
where (
        lone.day between spans.first_day and spans.last_day
        or lone.day
            between paid.first_association and paid.last_association
    )
  -- A date with only its own deposits is not a run.
  and (spans.first_day <> spans.last_day
      or paid.first_association <> paid.last_association
      or spans.first_day <> paid.first_association)
  and (
      paid.first_association >= spans.first_day
      or max(1, banking_days(paid.first_association, spans.first_day,
          merchants.calendar)) = 1
  )
  and (
      paid.last_association <= spans.last_day
      or max(1, banking_days(spans.last_day, paid.last_association,
          merchants.calendar)) = 1
  );

-- purpose: hints for a date that does not tie out and is in no run: the date
-- that cancels it, and the nearest run with its difference.
-- grain: one merchant and date.
create temp table run_hints as
select
    lone.merchant_id,
    lone.day,
    iif(cancelling.other_day is null, '',
        json_array('cancelled_by', cancelling.other_day))
    || iif(runs.first_day is null, '', json_array(
        'nearest_run', runs.first_day, runs.last_day,
        runs.first_association, runs.last_association,
        runs.sales_minor, runs.returns_minor, runs.transactions, lone.currency
    )) as hint
from temp.lone_dates as lone
left join temp.cancelling_dates as cancelling
    on cancelling.merchant_id = lone.merchant_id
    and cancelling.day = lone.day
left join temp.runs_beside as runs
    on runs.merchant_id = lone.merchant_id
    and runs.day = lone.day
    and runs.place = 1
    -- Closer to a tie than the date is by itself.
    and abs(runs.sales_minor) + abs(runs.returns_minor)
        < abs(lone.sales_minor) + abs(lone.returns_minor);
create unique index temp.run_hints_key on run_hints (merchant_id, day);
