-- code: REFUND_EXCEEDS_PAYMENT
-- severity: error
-- figure: amount
-- subject: payment
-- names: payment
-- needs: bank-transfer-payments/run bank-transfer-refunds/run bank-transfer-payments/settled bank-transfer-refunds/settled
-- means: The refunds of a payment add up to more than the payment.
-- explanation: Payment {payment_id} of {expected} {currency} was refunded with {actual} {currency} in all ({refund_id}).
-- action: Recover the excess from the customer, or have the refund reversed while its batch is open.
-- grain: one payment.
with
asof as (select * from temp.asof),
touched as (
    select transfer_id as payment_id from temp.transfers
    where kind = 'payment' and not is_return
      and (run_date in (select day from temp.judged_days)
          or settled_day in (select day from temp.judged_days))
    union
    select payment_id from temp.transfers
    where kind = 'refund' and payment_id is not null
      and (run_date in (select day from temp.judged_days)
          or settled_day in (select day from temp.judged_days))
    union
    -- A refund that only its payment tells of.
    select summary.payment_id
    from temp.judged_days as judged
    cross join refund_summary as summary
    cross join bank_transfer as payment
        on payment.kind = 'payment' and payment.transfer_id = summary.payment_id
    inner join temp.configured_terminal as terminal
        on terminal.terminal_id = payment.terminal_id
    inner join temp.merchants as merchants on merchants.merchant_id = terminal.merchant_id
    where summary.run_at >= date(judged.day, '-1 day')
      and summary.run_at < date(judged.day, '+2 days')
      and local_date(summary.run_at, merchants.time_zone) = judged.day
    union
    select payment_id from temp.carried where code = 'REFUND_EXCEEDS_PAYMENT'
),
payments as materialized (
    select
        payment.transfer_number,
        payment.transfer_id as payment_id,
        payment.amount_minor,
        payment.currency,
        payment.order_id,
        payment.run_at,
        payment.transfer_type,
        terminal.merchant_id,
        merchants.time_zone
    from touched
    cross join bank_transfer as payment
        on payment.kind = 'payment' and payment.transfer_id = touched.payment_id
    inner join temp.configured_terminal as terminal
        on terminal.terminal_id = payment.terminal_id
    inner join temp.merchants as merchants
        on merchants.merchant_id = terminal.merchant_id
),
-- Of one that the API no longer knows by its id, nothing was given back.
known_refunds as materialized (
    select
        payments.payment_id,
        refund.transfer_id as refund_id,
        refund.amount_minor,
        refund.currency,
        refund.status,
        local_date(refund.run_at, payments.time_zone) as run_date
    from payments
    cross join bank_transfer as refund on refund.payment_id = payments.payment_id
    where refund.kind = 'refund'
      and not exists (
          select 1 from transfer_lookup as lookup
          where lookup.transfer_id = refund.transfer_id
            and lookup.kind = 'refund'
            and lookup.reading_id > refund.reading
      )
),
refunds as materialized (
    -- The refund's own record says more than the payment's summary of it.
    select * from known_refunds
    union all
    select
        payments.payment_id,
        summary.refund_id,
        summary.amount_minor,
        summary.currency,
        summary.status,
        local_date(summary.run_at, payments.time_zone) as run_date
    from payments
    cross join refund_summary as summary on summary.payment_id = payments.payment_id
    where not exists (
        select 1 from known_refunds as refund
        where refund.refund_id = summary.refund_id
          and refund.payment_id = payments.payment_id
    )
),
counted as (
    select
        refunds.payment_id,
        sum(abs(refunds.amount_minor)) as refunded_minor,
        max(refunds.amount_minor is null) as has_unknown_amount,
        max(refunds.currency is null or payments.currency is null) as has_unknown_currency,
        max(refunds.status is null) as has_unknown_status,
        group_concat(refunds.refund_id, ';' order by refunds.refund_id) as refund_ids
    from refunds
    inner join payments on payments.payment_id = refunds.payment_id
    cross join asof
    where refunds.run_date <= asof.business_date
      and coalesce(refunds.status, '') not in ('declined', 'reversal')
      and coalesce(refunds.currency = payments.currency, 1)
    group by refunds.payment_id
)
select
    payments.merchant_id,
    payments.payment_id as subject,
    payments.currency,
    payments.amount_minor as expected,
    counted.refunded_minor as actual,
    coalesce(
        -- Whether or not D looks at the day on which it settled.
        (
            select min(listing.business_date)
            from transfer_listed as listed
            cross join listing on listing.listing_id = listed.listing_id
            cross join reading
                on reading.reading_id = listing.reading_id and reading.reading_id = listed.reading
            where listed.transfer_number = payments.transfer_number
              and listing.selector = 'settled'
              and listing.business_date <= (select business_date from asof)
              and reading.verdict = 'complete'
        ),
        local_date(payments.run_at, payments.time_zone)
    ) as batch_date,
    payments.payment_id,
    counted.refund_ids as refund_id,
    payments.order_id,
    case when payments.amount_minor is null or counted.has_unknown_amount
        then 'payment ' || payments.payment_id || ' or a refund of it has no amount'
        when counted.has_unknown_currency
        then 'payment ' || payments.payment_id || ' or a refund of it names no currency'
        when counted.has_unknown_status
        then 'a refund of payment ' || payments.payment_id || ' has no status'
    end as problem
from payments
inner join counted on counted.payment_id = payments.payment_id
where payments.amount_minor is null
   or counted.has_unknown_amount
   or counted.refunded_minor > payments.amount_minor
order by payments.payment_id
