-- purpose: add up the card transactions of a date whose listing is complete.
-- grain: one merchant, currency and deposit; ?1 date.
insert into transaction_total (
    day, merchant_id, currency, ach_deposit_id, transactions, sales_minor, returns_minor, unclear
)
select
    day,
    merchant_id,
    coalesce(currency, ''),
    coalesce(ach_deposit_id, 0),
    count(*),
    coalesce(sum(case when transaction_type = 'capture' then amount_minor end), 0),
    coalesce(sum(case when transaction_type = 'return' then abs(amount_minor) end), 0),
    sum(
        transaction_type is null
        or transaction_type not in ('capture', 'return')
        or amount_minor is null
        or currency is null
    )
from card_transaction
where day = ?1
  and gone_in is null
  and merchant_id is not null
group by day, merchant_id, coalesce(currency, ''), coalesce(ach_deposit_id, 0)
