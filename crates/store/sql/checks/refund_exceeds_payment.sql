-- code: REFUND_EXCEEDS_PAYMENT
-- severity: error
-- figure: amount
-- money: more-is-short
-- subject: payment, or authorization
-- names: payment batch
-- needs: bank-transfer-payments/run bank-transfer-refunds/run
--   bank-transfer-payments/settled bank-transfer-refunds/settled
--   bank-transfer-payments/returned authorizations
-- means: The refunds of a payment, or the returns of a card authorization, add
--   up to more than it brought in.
-- explanation: {named} brought in {expected} {currency} {limit}, but was
--   refunded with {actual} {currency} in all ({refunds}). {note}
-- named payment: Payment {payment_id}
-- named authorization: Authorization {authorization_id}
-- limit refused: , as its status is {refused_status}
-- limit returned: less returns up to {last_return}
-- note closed: Its return is closed: the customer may have paid in another way.
-- action: Recover the excess from the customer, or have the refund reversed
--   while its batch is open.
-- grain: one payment with its re-presentments, or one authorization.

-- purpose: every payment that D looks at and that can have refunds, tested
-- as of D.
-- grain: one payment id.
create temp view touched_payments as
select transfer_id as payment_id from temp.transfers
where kind = 'payment' and not is_return
union
select payment_id from temp.transfers
where kind = 'refund' and payment_id is not null
union
-- A refund that only its payment states.
select summary.payment_id
from temp.judged_days as judged
cross join refund_summary as summary
where summary.run_at >= date(judged.day, '-1 day')
  and summary.run_at < date(judged.day, '+2 days')
union
select payment_id from temp.carried where code = 'REFUND_EXCEEDS_PAYMENT';

-- purpose: from a re-presentment back to the payment that it presents again.
-- The indexes leave out a payment without re-presentments and refunds.
-- grain: one payment that presents none again.
create temp view first_payments as
with recursive
back (payment_id, depth) as (
    select touched.payment_id, 0 from temp.touched_payments as touched
    where exists
        (select 1 from bank_transfer as refund
        where refund.payment_id = touched.payment_id)
       or exists
           (select 1 from refund_summary as summary
           where summary.payment_id = touched.payment_id)
       or exists (
           select 1 from bank_transfer as original
           where original.representment_id = touched.payment_id
       )
       or exists (
           select 1 from bank_transfer as original
           where original.kind = 'payment'
             and original.transfer_id = touched.payment_id
             and original.representment_id is not null
       )
    union
    select original.transfer_id, back.depth + 1
    from back
    cross join bank_transfer as original
        on original.representment_id = back.payment_id
    where original.kind = 'payment' and back.depth < 20
)
select distinct back.payment_id from back
where not exists (
    select 1 from bank_transfer as earlier
    where earlier.representment_id = back.payment_id
        and earlier.kind = 'payment'
);

-- purpose: these payments with their re-presentments up to D.
-- grain: one payment of such a chain.
create temp table payment_members as
with recursive
chain (original_id, payment_id, depth) as (
    select payment_id, payment_id, 0 from temp.first_payments as originals
    union
    select chain.original_id, payment.representment_id, chain.depth + 1
    from chain
    cross join bank_transfer as payment
        on payment.kind = 'payment' and payment.transfer_id = chain.payment_id
    where payment.representment_id is not null and chain.depth < 20
)
select distinct
    chain.original_id,
    chain.depth,
    payment.transfer_number,
    payment.transfer_id as payment_id,
    payment.amount_minor,
    payment.currency,
    payment.order_id,
    payment.status,
    payment.transfer_type,
    terminal.merchant_id,
    merchants.time_zone,
    local_date(payment.run_at, merchants.time_zone) as run_date,
    payment.status
        in ('declined', 'reversal', 'expired', 'referral', 'pickup')
        as is_refused,
    payment.representment_id is not null and not exists (
        select 1 from bank_transfer as again
        where again.kind = 'payment'
          and again.transfer_id = payment.representment_id
    ) as is_again_unknown
from chain
cross join temp.asof as asof
cross join bank_transfer as payment
    on payment.kind = 'payment' and payment.transfer_id = chain.payment_id
inner join temp.configured_terminal as terminal
    on terminal.terminal_id = payment.terminal_id
inner join temp.merchants as merchants
    on merchants.merchant_id = terminal.merchant_id
where chain.depth = 0
   or coalesce(local_date(payment.run_at, merchants.time_zone)
       <= asof.business_date, 1);

-- purpose: the returns of the payments of a chain.
-- grain: one return.
create temp view member_returns as
select
    members.payment_id,
    returned.return_date,
    returned.closed
from temp.payment_members as members
cross join temp.asof as asof
cross join transfer_return as returned
    on returned.payment_id = members.payment_id
where returned.return_date <= asof.business_date
  and returned.effect = 1
  and (returned.undone_on is null or returned.undone_on > asof.business_date)
union all
select members.payment_id, undated.came_back_on, 0
from temp.payment_members as members
cross join temp.undated_returns as undated
    on undated.transfer_number = members.transfer_number;

-- purpose: the amount that each payment of a chain brought in: none where it
-- was refused, and less with each return.
-- grain: one payment of a chain.
create temp view brought_parts as
select
    members.*,
    coalesce(backs.returns, 0) as returns,
    backs.last_return,
    coalesce(backs.has_closed, 0) as has_closed,
    case when members.is_refused then 0
        else max(0, members.amount_minor
            - coalesce(backs.returns, 0) * members.amount_minor)
    end as brought_minor
from temp.payment_members as members
left join (
    select
        payment_id,
        count(*) as returns,
        max(return_date) as last_return,
        max(closed) as has_closed
    from temp.member_returns as came_back
    group by payment_id
) as backs on backs.payment_id = members.payment_id;

-- purpose: the amount that a payment brought in with its re-presentments.
-- grain: one chain of payments.
create temp table payment_chains as
select
    original_id,
    min(merchant_id) as merchant_id,
    min(time_zone) as time_zone,
    case when count(*) = count(brought_minor) then sum(brought_minor) end
        as brought_minor,
    max(currency) as currency,
    max(currency is null) as has_unknown_currency,
    max(case when depth = 0 then order_id end) as order_id,
    max(case when depth = 0 then transfer_number end) as transfer_number,
    max(case when depth = 0 then run_date end) as run_date,
    max(case when is_refused then status end) as refused_status,
    max(last_return) as last_return,
    max(has_closed) as has_closed,
    max(case when status in (select status from temp.transfer_status) then 0
        else 1 end)
        as has_unknown_status,
    max(transfer_type = 'accountVerification') as is_verification,
    max(is_again_unknown) as is_again_unknown
from temp.brought_parts as parts
group by original_id;

-- purpose: the refunds of these payments. One that the API no longer knows by
-- its id gave nothing back.
-- grain: one refund of a payment.
create temp table known_refunds as
select
    members.original_id,
    members.payment_id,
    refund.transfer_number,
    refund.transfer_id as refund_id,
    refund.amount_minor,
    refund.currency,
    -- A refund that had not come back yet as of D counts as paid.
    case
        when refund.status = 'returned'
            and refund.transfer_number not in (
                select transfer_number from temp.undated_returns
            )
            then 'complete'
        else refund.status
    end as status,
    local_date(refund.run_at, members.time_zone) as run_date
from temp.payment_members as members
cross join bank_transfer as refund on refund.payment_id = members.payment_id
where refund.kind = 'refund'
  and not exists (
      select 1 from transfer_lookup as lookup
      where lookup.transfer_id = refund.transfer_id
        and lookup.kind = 'refund'
        and lookup.reading_id > refund.reading
  );

-- purpose: the same with those that only a payment states: the own record of a
-- refund has more fields than the summary of it in its payment.
-- grain: one refund of a payment.
create temp view every_refund as
select * from temp.known_refunds
union
select
    members.original_id,
    '' as payment_id,
    null as transfer_number,
    summary.refund_id,
    summary.amount_minor,
    summary.currency,
    summary.status,
    local_date(summary.run_at, members.time_zone) as run_date
from temp.payment_members as members
cross join refund_summary as summary
    on summary.payment_id = members.payment_id
where not exists (
    select 1 from temp.known_refunds as refund
    where refund.refund_id = summary.refund_id
      and refund.original_id = members.original_id
);

-- purpose: the same with the day on which each settled, looked up only where it
-- is needed: without a time, or with a status that is not published.
-- grain: one refund of a payment.
create temp view settled_refunds as
select
    refunds.*,
    case when refunds.run_date is null
        or coalesce(refunds.status, '') not in
            (select status from temp.transfer_status)
    then (
        select min(settled.business_date)
        from temp.settled_listing as settled
        where settled.transfer_number = refunds.transfer_number
          and settled.business_date <= (select business_date from temp.asof)
    ) end as settled_day
from temp.every_refund as refunds;

-- purpose: the same with the date of each.
-- grain: one refund of a payment.
create temp view dated_refunds as
select
    refunds.*,
    coalesce(run_date, settled_day) as refund_date,
    -- Whether it is certain that it was paid.
    coalesce(run_date, settled_day) is not null
        and (
            coalesce(status, '') in
                (select status from temp.transfer_status)
            or settled_day is not null
        ) as is_certain
from temp.settled_refunds as refunds;

-- purpose: the refunds of each payment up to D.
-- grain: one chain of payments.
create temp view refunded_payments as
select
    refunds.original_id,
    sum(case when refunds.is_certain then abs(refunds.amount_minor)
        else 0 end)
        as refunded_minor,
    sum(abs(refunds.amount_minor)) as possible_minor,
    max(refunds.amount_minor is null) as has_unknown_amount,
    max(refunds.currency is null) as has_unknown_currency,
    max(not refunds.is_certain) as has_uncertain,
    max(refunds.refund_date) as last_refund,
    group_concat(refunds.refund_id, ';' order by refunds.refund_id)
        filter (where refunds.is_certain) as refund_ids
from temp.dated_refunds as refunds
inner join temp.payment_chains as payments
    on payments.original_id = refunds.original_id
cross join temp.asof as asof
where coalesce(refunds.refund_date, asof.business_date)
    <= asof.business_date
  and coalesce(refunds.status, '') not in (
      'declined', 'reversal', 'returned', 'expired', 'referral', 'pickup'
  )
  and coalesce(refunds.currency = payments.currency, 1)
group by refunds.original_id;

-- purpose: the returns under the authorization of their captures. Captures from
-- before the start were not read; the authorized amount stands for them.
-- grain: one authorization.
create temp view card_returns as
select
    item.merchant_id,
    item.authorization_id,
    min(item.currency) as currency,
    max(
        coalesce(sum(item.amount_minor)
            filter (where item.transaction_type = 'capture'), 0),
        case when min(item.day) < asof.start_date
            then coalesce(max(item.preauthorization_minor), 0) else 0 end
    ) as brought_minor,
    coalesce(sum(abs(item.amount_minor))
        filter (where item.transaction_type = 'return'), 0)
        as returned_minor,
    max(item.amount_minor is null) as has_unknown_amount,
    max(item.day) as batch_date,
    replace(group_concat(distinct item.batch_id), ',', ';') as batch_ids,
    group_concat(item.transaction_id, ';' order by item.transaction_id)
        filter (where item.transaction_type = 'return') as return_ids
from (
    select authorization_id from temp.doubtful_cards
    union
    select cast(authorization_id as integer) from temp.carried
    where code = 'REFUND_EXCEEDS_PAYMENT' and authorization_id is not null
) as scope
cross join temp.asof as asof
cross join owned_authorization as item
    on item.authorization_id = scope.authorization_id
inner join temp.merchants as merchants
    on merchants.merchant_id = item.merchant_id and merchants.is_checked
where item.gone_in is null
  and item.transaction_type in ('capture', 'return')
  and item.day <= asof.business_date
  and (item.authorization_id, item.transaction_key) not in
      (select extra_id, transaction_id from temp.extra_authorizations)
group by item.merchant_id, item.authorization_id
having max(item.transaction_type = 'capture')
   and max(case when item.transaction_type = 'return' then item.day end)
       >= asof.start_date;

-- purpose: the payments whose refunds exceed their amount, or may.
-- grain: one chain of payments.
create temp view exceeded_payments as
select
    payments.merchant_id,
    payments.original_id as subject,
    payments.currency,
    payments.brought_minor as expected,
    counted.refunded_minor as actual,
    coalesce(
        -- Whether or not D looks at the day on which it settled.
        (
            select min(settled.business_date)
            from temp.settled_listing as settled
            where settled.transfer_number = payments.transfer_number
              and settled.business_date <= (select business_date from temp.asof)
        ),
        payments.run_date
    ) as batch_date,
    null as batch_id,
    null as authorization_id,
    null as transaction_id,
    payments.original_id as payment_id,
    counted.refund_ids as refund_id,
    payments.order_id,
    'payment' as named,
    counted.refund_ids as refunds,
    case
        when payments.refused_status is not null then 'refused'
        when payments.last_return is not null then 'returned'
    end as "limit",
    payments.refused_status,
    payments.last_return,
    case when payments.has_closed then 'closed' end as note,
    case
        when payments.brought_minor is null or counted.has_unknown_amount
            then json_array('refund_without_amount', payments.original_id)
        when payments.has_unknown_currency or counted.has_unknown_currency
            then json_array('refund_without_currency', payments.original_id)
        when counted.refunded_minor <= payments.brought_minor
            then json_array('refund_unclear', payments.original_id)
        when payments.is_again_unknown
            then json_array('again_unread', payments.original_id)
        when payments.has_unknown_status
            and not exists (
                select 1 from temp.settled_days as settled
                where settled.transfer_number = payments.transfer_number
            )
            then json_array('payment_unpublished', payments.original_id)
    end as problem
from temp.payment_chains as payments
inner join temp.refunded_payments as counted
    on counted.original_id = payments.original_id
cross join temp.asof as asof
where not payments.is_verification
  and (
      payments.brought_minor is null
      or counted.has_unknown_amount
      or counted.refunded_minor > payments.brought_minor
      or (counted.has_uncertain
          and counted.possible_minor > payments.brought_minor)
  )
  -- In scope when a refund or a return of it is dated since the start.
  and max(coalesce(counted.last_refund, ''), coalesce(payments.last_return, ''))
      >= asof.start_date;

select * from temp.exceeded_payments
union all
select
    merchant_id,
    cast(authorization_id as text) as subject,
    currency,
    brought_minor as expected,
    returned_minor as actual,
    batch_date,
    batch_ids as batch_id,
    authorization_id,
    return_ids as transaction_id,
    null as payment_id,
    null as refund_id,
    null as order_id,
    'authorization',
    return_ids,
    null,
    null,
    null,
    null,
    case when has_unknown_amount
        then json_array('authorization_with_unknown', authorization_id) end
from temp.card_returns
where has_unknown_amount or returned_minor > brought_minor
order by 2
