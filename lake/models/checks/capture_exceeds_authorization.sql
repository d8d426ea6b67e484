-- purpose: authorizations whose captures add up to more than was authorized,
-- on the day of the capture that exceeds.
-- grain: one business date and authorization.
with
captures as (
    select
        item.*,
        sum(item.amount_minor) over (
            partition by item.authorization_id
            order by item.business_date
            rows between unbounded preceding and current row
        ) as captured
    from (
        select
            part.merchant_id,
            part.authorization_id,
            part.business_date,
            min(part.currency) as currency,
            max(part.preauthorization_minor) as preauthorization_minor,
            sum(part.amount_minor) as amount_minor
        from {{ ref('stg_authorizations') }} as part
        inner join {{ ref('card_items') }} as item
            on item.authorization_id = part.authorization_id
            and item.transaction_id = part.transaction_id
            and item.place = 1
        where part.transaction_type = 'capture'
            and part.preauthorization_minor > 0
        group by part.merchant_id, part.authorization_id, part.business_date
    ) as item
)
select
    merchant.business_date,
    'CAPTURE_EXCEEDS_AUTHORIZATION' as code,
    captures.merchant_id,
    cast(captures.authorization_id as string) as subject,
    captures.currency,
    captures.preauthorization_minor as expected,
    cast(captures.captured as bigint) as actual
from {{ ref('checked_merchants') }} as merchant
inner join captures
    on captures.merchant_id = merchant.merchant_id
    and captures.business_date = merchant.business_date
where captures.captured * 100 > captures.preauthorization_minor
        * (100 + merchant.capture_tolerance_percent)
    and (captures.captured - captures.amount_minor) * 100
        <= captures.preauthorization_minor
        * (100 + merchant.capture_tolerance_percent)
