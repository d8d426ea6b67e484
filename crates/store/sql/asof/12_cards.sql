-- purpose: the batches whose items are added up on D: those of the days that D
-- judges, those of a group that is dated before the start and paid on one of
-- them, and those of merchant-days with an open finding about such a sum.
-- grain: one batch.
create temp table judged_batches as
select
    batch.batch_id,
    batch.merchant_id,
    batch.day as batch_date,
    batch.currency,
    batch.sale_amount_minor,
    batch.return_amount_minor,
    batch.transaction_count
from temp.groups as groups
cross join temp.asof as asof
inner join batch
    on batch.merchant_id = groups.merchant_id
    and batch.day = groups.batch_date
    and batch.currency is groups.currency
where batch.gone_in is null
  and (
      groups.batch_date in (select day from temp.judged_days)
      or (
          groups.batch_date < asof.start_date
          and groups.is_judged
          and exists (
              select 1
              from temp.group_deposits as members
              cross join deposit
                  on deposit.ach_deposit_id = members.ach_deposit_id
              where members.merchant_id = groups.merchant_id
                and members.group_date = groups.group_date
                and deposit.day in (select day from temp.judged_days)
          )
      )
      or (groups.merchant_id, groups.batch_date) in (
          select merchant_id, batch_date from temp.carried
          where code in (select code from temp.reopened_by where what = 'batch')
      )
  );
create unique index temp.judged_batches_key on judged_batches (batch_id);

-- purpose: the days whose authorizations D looks at. It judges the captures of
-- the days that it judges, and of those that D was the first to read as they
-- are: they are reported on D, also when an earlier date was run again since.
-- grain: one day.
create temp table card_days as
with
readings as (
    select reading.*, fetched.session as of_session
    from temp.asof as asof
    cross join fetch_session as fetched
        on fetched.business_date = asof.business_date
    cross join reading
        on reading.session in (fetched.session, -fetched.session)
),
first_read as (
    select listing.business_date as day, readings.of_session
    from readings
    cross join listing on listing.listing_id = readings.listing_id
    where readings.verdict = 'complete'
      and listing.resource = 'authorizations'
      and listing.selector = 'date'
      and readings.digest is not (
          select before.digest from reading as before
          where before.listing_id = readings.listing_id
            and before.verdict = 'complete'
            and before.reading_id < readings.reading_id
          order by before.reading_id desc
          limit 1
      )
    union
    select version.day, readings.of_session
    from readings
    cross join record_version as version
        on version.replaced_in = readings.reading_id
    where version.kind = 'authorization'
),
looked_at as (
    select batch_date as day, false as is_judged from temp.judged_batches
    union all
    select day, true from temp.judged_days
    union all
    select day, true from first_read
    where day < (select business_date from temp.asof)
      and exists (
          select 1 from fetch_session as own
          where own.business_date = first_read.day
            and own.session < first_read.of_session
      )
    union all
    select batch_date, false from temp.carried
    where code in (select code from temp.reopened_by where what = 'cards')
      and batch_date is not null
)
select day, max(is_judged) as is_judged from looked_at group by day;

-- The tables below are filled by one pass over the authorizations of these
-- days: they are the bulk of a night, and every further pass would cost as much
-- as all the rest of a reconciliation.

-- grain: one day, batch, merchant, currency and kind of the listed items that
-- are not gone.
create temp table listed_cards (
    day text not null,
    batch_id integer,
    merchant_id text,
    currency text,
    -- capture, return, unknown, or none without a transaction.
    kind text not null,
    items integer not null,
    -- Those that have an amount, and its sum; returns count with absolute
    -- amounts.
    known integer not null,
    amount_minor integer not null
) strict;

-- purpose: those that share their transaction's id with another one, of any
-- merchant.
-- grain: one authorization with one of its transactions.
create temp table repeated_cards (
    authorization_id integer not null,
    transaction_id integer not null
) strict;

-- grain: one published answer of an issuer and its meaning: an approval (in
-- full or in part), a refusal, or nothing (it is inconclusive, or an approval
-- by voice or stand-in may follow).
create temp table card_responses (
    response text not null primary key,
    meaning text not null
) strict;

-- purpose: captures of the days that D judges that were refused, whose answer
-- is not published, that exceed the authorized amount, or that may do so
-- together with others of their authorization.
-- grain: one authorization.
create temp table doubtful_cards (
    authorization_id integer not null primary key
) strict;
