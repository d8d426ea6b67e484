-- purpose: bank transfers that ran, are due, and are in no settled listing.
-- grain: one business date and bank transfer.
with due as (
    select
        transfer.*,
        calendar.calendar,
        calendar.days,
        calendar.due_date
    from {{ ref('stg_bank_transfers') }} as transfer
    inner join {{ ref('stg_calendar') }} as calendar
        on calendar.business_date = transfer.business_date
        and calendar.shard = transfer.shard
    where transfer.status in ('ready', 'pending', 'accepted', 'complete')
        and transfer.transfer_type <> 'accountVerification'
)
select
    merchant.business_date,
    case due.kind when 'payment' then 'PAYMENT_NOT_SETTLED'
        else 'REFUND_NOT_SETTLED' end as code,
    due.merchant_id,
    due.transfer_id as subject,
    due.currency,
    due.amount_minor as expected,
    cast(0 as bigint) as actual
from {{ ref('checked_merchants') }} as merchant
inner join due
    on due.merchant_id = merchant.merchant_id
    and due.calendar = merchant.calendar
    and due.days = merchant.settle_days
        + case when due.status in ('pending', 'accepted') then 5 else 0 end
where due.due_date <= merchant.business_date
    and due.business_date >= merchant.start_date
    and not exists (
        select 1 from {{ ref('stg_settled_transfers') }} as settled
        where settled.kind = due.kind
            and settled.transfer_id = due.transfer_id
            and settled.business_date <= merchant.business_date
    )
    and not exists (
        select 1 from {{ ref('stg_transfer_returns') }} as returned
        where returned.return_id = due.transfer_id
            and due.kind = 'payment'
    )
