-- purpose: disputed transactions, of disputes that are not won, that were also
-- returned to the card: under the same authorization, or as the one return of
-- the one sale of that card and amount within 60 days, all of which were read.
-- grain: one business date and dispute.
with
cards as (
    select
        item.merchant_id,
        item.business_date,
        item.authorization_id,
        item.transaction_id,
        item.transaction_type,
        item.currency,
        item.amount_minor,
        part.card_last4
    from {{ ref('card_items') }} as item
    inner join {{ ref('stg_authorizations') }} as part
        on part.business_date = item.business_date
        and part.merchant_id = item.merchant_id
        and part.authorization_id = item.authorization_id
        and part.transaction_id = item.transaction_id
    where item.place = 1 and item.transaction_type in ('capture', 'return')
),
disputed as (
    select
        dispute.business_date,
        dispute.merchant_id,
        dispute.dispute_id,
        dispute.amount_minor,
        dispute.currency,
        sale.authorization_id,
        sale.transaction_id,
        sale.business_date as sale_date,
        sale.card_last4,
        sale.amount_minor as sale_minor
    from {{ ref('disputes_as_of') }} as dispute
    inner join cards as sale
        on sale.merchant_id = dispute.merchant_id
        and sale.transaction_id = dispute.transaction_id
        and sale.transaction_type = 'capture'
        and sale.business_date <= dispute.business_date
    where not dispute.is_won
),
under_it as (
    select
        disputed.business_date,
        disputed.dispute_id,
        sum(returned.amount_minor) as returned_minor
    from disputed
    inner join cards as returned
        on returned.merchant_id = disputed.merchant_id
        and returned.authorization_id = disputed.authorization_id
        and returned.transaction_type = 'return'
        and returned.currency = disputed.currency
        and returned.business_date <= disputed.business_date
    group by disputed.business_date, disputed.dispute_id
),
alike as (
    select
        disputed.business_date,
        disputed.dispute_id,
        disputed.sale_date,
        min(returned.business_date) as return_date,
        min(returned.amount_minor) as returned_minor
    from disputed
    inner join cards as returned
        on returned.merchant_id = disputed.merchant_id
        and returned.card_last4 = disputed.card_last4
        and returned.currency = disputed.currency
        and returned.amount_minor = disputed.sale_minor
        and returned.transaction_type = 'return'
        and returned.business_date <= disputed.business_date
        and abs({{ days_between('returned.business_date', 'disputed.sale_date') }}) <= 60
    group by
        disputed.business_date, disputed.dispute_id, disputed.sale_date
    having count(*) = 1
        and min(returned.business_date) >= disputed.sale_date
),
days_read as (
    select distinct listing_date
    from {{ ref('stg_listings') }}
    where resource = 'authorizations' and verdict = 'complete'
),
certain as (
    select alike.business_date, alike.dispute_id, alike.returned_minor
    from alike
    inner join disputed
        on disputed.business_date = alike.business_date
        and disputed.dispute_id = alike.dispute_id
    inner join days_read
        on {{ days_between('alike.sale_date', 'days_read.listing_date') }} <= 60
        and {{ days_between('days_read.listing_date', 'alike.return_date') }} <= 60
        and days_read.listing_date <= alike.business_date
    where not exists (
        select 1 from cards as other
        where other.merchant_id = disputed.merchant_id
            and other.card_last4 = disputed.card_last4
            and other.currency = disputed.currency
            and other.amount_minor = disputed.sale_minor
            and other.transaction_type = 'capture'
            and other.transaction_id <> disputed.transaction_id
            and {{ days_between('alike.sale_date', 'other.business_date') }} <= 60
            and {{ days_between('other.business_date', 'alike.return_date') }} <= 60
            and other.business_date <= alike.business_date
    )
    group by
        alike.business_date, alike.dispute_id, alike.returned_minor,
        alike.sale_date, alike.return_date
    having count(*) = least(
            60 + {{ days_between('alike.return_date', 'alike.sale_date') }} + 60,
            60 + {{ days_between('alike.business_date', 'alike.sale_date') }}
        ) + 1
)
select
    disputed.business_date,
    'DISPUTED_AND_REFUNDED' as code,
    disputed.merchant_id,
    cast(disputed.dispute_id as string) as subject,
    disputed.currency,
    disputed.amount_minor as expected,
    cast(
        disputed.amount_minor
        + coalesce(under_it.returned_minor, certain.returned_minor) as bigint
    ) as actual
from disputed
left join under_it
    on under_it.business_date = disputed.business_date
    and under_it.dispute_id = disputed.dispute_id
left join certain
    on certain.business_date = disputed.business_date
    and certain.dispute_id = disputed.dispute_id
where under_it.returned_minor is not null
    or certain.returned_minor is not null
