-- purpose: add up the card transactions of a date whose listing is complete;
-- those that name no merchant, and may belong to any, under an empty one.
-- grain: one merchant, currency, deposit and standing; ?1 date.
insert into transaction_total (
    day, merchant_id, currency, ach_deposit_id, standing,
    transactions, sales_minor, returns_minor, unclear
)
select
    day,
    coalesce(merchant_id, ''),
    coalesce(currency, ''),
    coalesce(ach_deposit_id, 0),
    standing,
    count(*),
    coalesce(sum(case when transaction_type = 'capture' then amount_minor end),
        0),
    coalesce(sum(case when transaction_type = 'return'
        then abs(amount_minor) end), 0),
    sum(
        transaction_type is null
        or transaction_type not in ('capture', 'return')
        or amount_minor is null
        or currency is null
    )
from standing_transaction
where day = ?1
  and gone_in is null
group by
    day, coalesce(merchant_id, ''), coalesce(currency, ''),
    coalesce(ach_deposit_id, 0), standing
