-- code: DUPLICATE_BATCH
-- severity: warning
-- figure: amount
-- subject: later batch
-- names: batch
-- needs: batches authorizations
-- means: The card items of a batch are those of an earlier batch of its
--   merchant: it may have been submitted twice.
-- explanation: Batch {batch_id} of {batch_date} holds the same {items} card
--   items, worth {actual} {currency}, as batch {earlier_id} of {earlier_date}.
-- action: Find out whether the batch was submitted twice. If it was, have it
--   reversed or refund the customers, and do not post its items; if these are
--   other sales, accept the discrepancy.
-- grain: one batch that repeats an earlier one.

-- purpose: the batches that may repeat an earlier one. Three equal items are no
-- coincidence; fewer may be.
-- grain: one batch.
create temp view later_batches as
select
    batches.batch_id, batches.merchant_id, batches.batch_date,
        batches.currency,
    batches.sale_amount_minor, batches.return_amount_minor,
        batches.transaction_count
from temp.judged_batches as batches
inner join temp.card_totals as totals on totals.batch_id = batches.batch_id
where totals.items >= 3 and totals.unknown_types = 0
union
select
    batch.batch_id, batch.merchant_id, batch.day, batch.currency,
    batch.sale_amount_minor, batch.return_amount_minor,
        batch.transaction_count
from temp.carried as carried
cross join batch on batch.batch_id = cast(carried.subject as integer)
where carried.code = 'DUPLICATE_BATCH' and batch.gone_in is null;

-- purpose: batches of the merchant within 30 days on both sides that can hold
-- the same items: those whose header differs in at most one figure, since a
-- header can be wrong itself; or all, where bank transfers settled into one of
-- them or may have.
-- grain: two batches.
create temp table near_batches as
select
    later.batch_id as later_id,
    later.batch_date as later_date,
    later.currency,
    other.batch_id,
    other.day
from temp.later_batches as later
cross join temp.asof as asof
cross join batch as other on other.merchant_id = later.merchant_id
    and other.day between date(later.batch_date, '-30 days')
        and min(asof.business_date, date(later.batch_date, '+30 days'))
where other.gone_in is null
  and other.currency is later.currency
  and other.batch_id <> later.batch_id
  and (
      (other.sale_amount_minor is later.sale_amount_minor)
          + (other.return_amount_minor is later.return_amount_minor)
          + (other.transaction_count is later.transaction_count) >= 2
      or exists (
          select 1
          from temp.configured_terminal as terminal
          cross join listing on listing.scope = terminal.terminal_id
              and listing.resource
                  in ('bank-transfer-payments', 'bank-transfer-refunds')
              and listing.selector = 'settled'
              and listing.business_date in (later.batch_date, other.day)
          cross join transfer_listed as listed
              on listed.listing_id = listing.listing_id
              and listed.reading = listing.reading_id
          where terminal.merchant_id = later.merchant_id
      )
      -- It is not known which transfers settled into them.
      or later.merchant_id in (
          select configured.merchant_id
          from temp.configured_merchant as configured
          inner join temp.merchants as merchants
              on merchants.merchant_id = configured.merchant_id
          where merchants.terminals_problem is not null
      )
  );

-- purpose: the largest item of each batch: a batch that lacks it holds other
-- items, which rules out nearly all pairs.
-- grain: one batch.
create temp view largest_items as
select
    item.batch_id,
    max(item.amount_minor) as amount_minor,
    item.card_last4,
    item.transaction_type
from (
    select distinct near.later_id as batch_id, near.later_date as day
    from temp.near_batches as near
) as own
cross join authorization as item
    on item.day = own.day and item.batch_id = own.batch_id
where item.gone_in is null
  and item.has_transaction
  and (item.authorization_id, item.transaction_key) not in
      (select extra_id, transaction_id from temp.extra_authorizations)
  and item.transaction_type in ('capture', 'return')
group by own.batch_id;

-- grain: two batches that hold the same largest item.
create temp table similar_batches as
select near.*
from temp.near_batches as near
inner join temp.largest_items as largest on largest.batch_id = near.later_id
where exists (
    select 1 from authorization as item
    where item.day = near.day
      and item.batch_id = near.batch_id
      and item.amount_minor = largest.amount_minor
      and item.card_last4 = largest.card_last4
      and item.transaction_type = largest.transaction_type
);

-- purpose: the items of these batches, to be compared one by one: few pairs
-- come this far.
-- grain: one batch.
create temp table held_items as
select
    batches.batch_id,
    count(*) as items,
    group_concat(
        coalesce(item.card_last4, '?') || ' '
            || coalesce(item.amount_minor, '?') || ' '
            || item.transaction_type,
        ';' order by item.card_last4, item.amount_minor,
            item.transaction_type
    ) as content,
    group_concat(
        coalesce(item.transaction_date, '?'),
            ';' order by item.transaction_date
    ) as sold_on
from (
    select later_id as batch_id, later_date as day from temp.similar_batches
    union
    select batch_id, day from temp.similar_batches
) as batches
cross join authorization as item
    on item.day = batches.day and item.batch_id = batches.batch_id
where item.gone_in is null
  and item.has_transaction
  and (item.authorization_id, item.transaction_key) not in
      (select extra_id, transaction_id from temp.extra_authorizations)
  and item.transaction_type in ('capture', 'return')
group by batches.batch_id;

-- grain: two batches that hold the same items.
create temp table equal_batches as
select
    alike.*,
    own.items,
    -- A missing date differs from no other.
    own.sold_on = others.sold_on
        or instr(own.sold_on, '?') > 0
        or instr(others.sold_on, '?') > 0 as is_sold_alike,
    instr(own.sold_on, '?') + instr(others.sold_on, '?') = 0 as is_dated
from temp.similar_batches as alike
inner join temp.held_items as own on own.batch_id = alike.later_id
inner join temp.held_items as others on others.batch_id = alike.batch_id
where own.items >= 3
  and own.content = others.content
  and instr(own.content, '?') = 0;

with repeated as (
    select
        later.*,
        same.items,
        min(printf('%s/%020d', same.day, same.batch_id)) as earlier
    from temp.later_batches as later
    cross join temp.asof as asof
    inner join temp.merchants as merchants
        on merchants.merchant_id = later.merchant_id and merchants.is_checked
    inner join temp.equal_batches as same on same.later_id = later.batch_id
    where same.is_sold_alike
      and (
          same.day < later.batch_date
          or (same.day = later.batch_date and same.batch_id < later.batch_id)
      )
      and due(same.day, merchants.window_days, merchants.calendar)
          >= later.batch_date
      -- Without sale dates, batches that are alike on three dates within 30
      -- days are regular sales.
      and (same.is_dated or not exists (
          select 1 from temp.equal_batches as one
          cross join temp.equal_batches as two
              on two.later_id = one.later_id
          where one.later_id = later.batch_id
            and one.day < two.day
            and one.day <> later.batch_date
            and two.day <> later.batch_date
            and julianday(max(two.day, later.batch_date))
                - julianday(min(one.day, later.batch_date)) <= 30
      ))
    group by later.batch_id
)
select
    repeated.merchant_id,
    cast(repeated.batch_id as text) as subject,
    repeated.currency,
    0 as expected,
    repeated.sale_amount_minor - repeated.return_amount_minor as actual,
    repeated.batch_date,
    repeated.batch_id,
    repeated.items,
    substr(repeated.earlier, 1, 10) as earlier_date,
    cast(substr(repeated.earlier, 12) as integer) as earlier_id,
    case when repeated.sale_amount_minor is null
        or repeated.return_amount_minor is null
        then json_array('batch_without_amounts', repeated.batch_id)
    end as problem
from repeated
order by repeated.batch_id
