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

-- purpose: the days whose authorizations D looks at.
-- grain: one day.
create temp table card_days as
select distinct batch_date as day from temp.judged_batches
union
select day from temp.judged_days
union
select batch_date from temp.carried
where code in (select code from temp.reopened_by where what = 'cards')
  and batch_date is not null;

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
