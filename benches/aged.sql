-- purpose: discrepancies that were found and settled in the past, in the shape that nights give
-- them: new, open for some days, then cleared or accepted.
-- grain: one discrepancy on one date; ?1 how many discrepancies, ?2 the first date, ?3 days over
-- which they began, ?4 one in so many was accepted.
insert into discrepancy_day (
    business_date, discrepancy_id, code, severity, status, is_carried, is_reopened, first_seen,
    age_days, subject, merchant_id, merchant_name, currency, figure, has_difference, expected,
    actual, batch_date, batch_id, ach_deposit_id, authorization_id, transaction_id, payment_id,
    refund_id, order_id, ledger_id, explanation, action
)
with recursive
number (n) as (select 0 union all select n + 1 from number where n + 1 < ?1),
merchants (place, merchant_id) as (
    select row_number() over (order by merchant_id) - 1, merchant_id from merchant
),
one as (
    select n, n * 7919 % ?3 as began, 1 + n % 6 as days, merchants.merchant_id
    from number
    inner join merchants on merchants.place = n % (select count(*) from merchant)
),
shown (n, began, days, merchant_id, age) as (
    select n, began, days, merchant_id, 0 from one
    union all
    select n, began, days, merchant_id, age + 1 from shown where age < days
)
select
    date(?2, '+' || (began + age) || ' days'),
    lower(printf('%016x', 1000000007 * (n + 1))),
    'MISSING_IN_LEDGER',
    'error',
    case
        when age = 0 then 'new'
        when age < days then 'open'
        when n % ?4 = 0 then 'accepted'
        else 'cleared'
    end,
    1, 0, date(?2, '+' || began || ' days'), age, 'past ' || n, merchant_id, 'Pizza Doe', 'USD',
    'amount', 1, 0, 1200 + n, date(?2, '+' || began || ' days'), '', '', cast(n as text),
    cast(n as text), '', '', '', '',
    'Capture ' || n || ' of 12.00 USD has no record in the ledger.',
    'Book it, or ask the processor what it is.'
from shown
where ?1 > 0
order by 1, 2
