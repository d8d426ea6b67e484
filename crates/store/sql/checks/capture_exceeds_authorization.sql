-- code: CAPTURE_EXCEEDS_AUTHORIZATION
-- severity: warning
-- figure: amount
-- subject: authorization; of tips, merchant, date and currency
-- names: batch
-- carried: no
-- needs: authorizations
-- means: The captures of an authorization add up to more than was authorized
--   and capture_tolerance_percent allows. Nothing can undo it: it is reported
--   on one date alone.
-- explanation: {named}.
-- named authorization: Authorization {authorization_id} was for {expected}
--   {currency}, but {actual} {currency} were captured
-- named tips: {captures} authorizations of {expected} {currency} in all were
--   captured for {actual} {currency} on {batch_date}, each for at most half
--   more; capture_tolerance_percent = {percent} would cover them
-- action tips: Where these are tips, set capture_tolerance_percent to {percent}
--   for the merchant; else refund the differences.
-- action: Check for a tip or an incremental authorization; else refund the
--   difference before the card holder disputes it. For a merchant that takes
--   tips set capture_tolerance_percent.
-- grain: one authorization; five or more of a merchant and date that exceed by
-- at most half are one for each currency.

-- purpose: the captures that may exceed their authorization.
-- grain: one capture.
create temp view doubtful_captures as
select
    item.merchant_id,
    item.authorization_id,
    item.transaction_key,
    item.currency,
    item.preauthorization_minor,
    item.amount_minor,
    item.day,
    item.batch_id,
    item.transaction_id,
    -- The newest reading that changed the record, or the first one that
    -- held it. An excess that existed before was reported then.
    max(item.first_reading, coalesce((
        select max(version.replaced_in) from record_version as version
        where version.kind = 'authorization'
          and version.id
              = item.authorization_id || '/' || item.transaction_key
          and (
              json_extract(version.content, '$.type') is not 'capture'
              or json_extract(version.content, '$.amount')
                  is not item.amount_minor
              or json_extract(version.content, '$.preauthorization_amount')
                  is not item.preauthorization_minor
          )
          and coalesce(
              json_extract(version.content, '$.type') <> 'capture'
              or json_extract(version.content, '$.preauthorization_amount') = 0
              or json_extract(version.content, '$.amount') * 100
              <= json_extract(version.content,
                  '$.preauthorization_amount')
                  * (100 + merchants.capture_tolerance_percent),
              1
          )
    ), 0)) as known_in
from temp.doubtful_cards as scope
cross join temp.asof as asof
cross join owned_authorization as item
    on item.authorization_id = scope.authorization_id
inner join temp.merchants as merchants
    on merchants.merchant_id = item.merchant_id
where item.gone_in is null
  and item.transaction_type = 'capture'
  and item.day <= asof.business_date
  and item.preauthorization_minor > 0
  and (item.authorization_id, item.transaction_key) not in
      (select extra_id, transaction_id from temp.extra_authorizations);

-- purpose: a capture happens on its day, or, when that day had been read for
-- itself before, on the date whose run was the first to read it completely.
-- grain: one capture.
create temp view dated_captures as
select
    parts.*,
    coalesce((
        select max(parts.day, fetched.business_date)
        from reading as first
        cross join reading on reading.reading_id = (
            select min(whole.reading_id) from reading as whole
            where whole.listing_id = first.listing_id
              and whole.verdict = 'complete'
              and whole.reading_id >= first.reading_id
        )
        cross join fetch_session as fetched
            on fetched.session = abs(reading.session)
        where first.reading_id = parts.known_in
          and exists (
              select 1 from fetch_session as own
              where own.business_date = parts.day
                and own.session < fetched.session
          )
    ), parts.day) as happened_on
from temp.doubtful_captures as parts;

-- purpose: the captures of each authorization that may exceed it.
-- grain: one authorization.
create temp view captured_authorizations as
select
    happened.merchant_id,
    happened.authorization_id,
    min(happened.currency) as currency,
    max(happened.preauthorization_minor) as authorized_minor,
    sum(happened.amount_minor) as captured_minor,
    -- The captures before D.
    coalesce(sum(case when happened.happened_on < asof.business_date
        then happened.amount_minor end), 0) as earlier_minor,
    max(happened.amount_minor is null
        and happened.day in (select day from temp.judged_days))
        as has_unknown_amount,
    max(happened.day) as batch_date,
    group_concat(distinct happened.batch_id order by happened.batch_id)
        as batch_ids,
    group_concat(happened.transaction_id, ';'
        order by happened.transaction_id) as transaction_ids
from temp.dated_captures as happened
cross join temp.asof as asof
where happened.happened_on <= asof.business_date
group by happened.merchant_id, happened.authorization_id;

-- purpose: the authorizations that are exceeded on D, or whose captures are not
-- all known; at most half more can be a tip.
-- grain: one authorization.
create temp view exceeded_authorizations as
select
    captures.*,
    not captures.has_unknown_amount and captures.currency is not null
        and captures.captured_minor * 2 <= captures.authorized_minor * 3
        as is_tip
from temp.captured_authorizations as captures
inner join temp.merchants as merchants
    on merchants.merchant_id = captures.merchant_id
    and merchants.is_checked
where captures.has_unknown_amount
   or (
       captures.captured_minor * 100 > captures.authorized_minor
           * (100 + merchants.capture_tolerance_percent)
       and captures.earlier_minor * 100 <= captures.authorized_minor
           * (100 + merchants.capture_tolerance_percent)
   );

with
judged as (
    select
        exceeding.*,
        is_tip and sum(is_tip) over (partition by merchant_id) >= 5 as is_one
    from temp.exceeded_authorizations as exceeding
)
select
    merchant_id,
    cast(authorization_id as text) as subject,
    currency,
    authorized_minor as expected,
    captured_minor as actual,
    batch_date,
    replace(batch_ids, ',', ';') as batch_id,
    cast(authorization_id as text) as authorization_id,
    transaction_ids as transaction_id,
    'authorization' as named,
    null as action,
    null as captures,
    null as percent,
    case when has_unknown_amount
        then json_array('authorization_without_amount', authorization_id)
    end as problem
from judged
where not is_one
union all
select
    judged.merchant_id,
    judged.merchant_id || '/' || asof.business_date || '/' || judged.currency,
    judged.currency,
    sum(judged.authorized_minor),
    sum(judged.captured_minor),
    asof.business_date,
    '',
    '',
    '',
    'tips',
    'tips',
    count(*),
    -- The next whole percent.
    max((judged.captured_minor * 100 + judged.authorized_minor - 1)
        / judged.authorized_minor - 100),
    null
from judged
cross join temp.asof as asof
where judged.is_one
group by judged.merchant_id, judged.currency
order by 1, 2
