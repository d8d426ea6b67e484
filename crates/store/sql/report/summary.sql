-- purpose: the totals of each merchant's date, in every currency of its
-- records.
-- grain: one merchant and currency; the currency is empty where it is unknown.

-- purpose: the deposits of D.
-- grain: one merchant and currency.
create temp view deposit_figures as
select
    merchant_id,
    coalesce(currency, '') as currency,
    count(*) as deposits,
    case when count(*) = count(net_amount_minor) and currency is not null
        then sum(net_amount_minor) end as net_minor
from temp.judged_deposits
where is_paid_today
group by merchant_id, coalesce(currency, '');

-- purpose: the batches of D.
-- grain: one merchant and currency.
create temp view batch_figures as
select
    batch.merchant_id,
    coalesce(batch.currency, '') as currency,
    count(*) as batches
from temp.asof
inner join batch on batch.day = asof.business_date
where batch.gone_in is null and batch.merchant_id is not null
group by batch.merchant_id, coalesce(batch.currency, '');

-- purpose: the items of D.
-- grain: one sum of card items, or one bank transfer.
create temp view figured_items as
select
    cards.merchant_id,
    coalesce(cards.currency, '') as currency,
    cards.items,
    cards.known,
    case cards.kind when 'return' then -cards.amount_minor
        else cards.amount_minor end as amount_minor
from temp.asof
inner join temp.cards as cards on cards.day = asof.business_date
where cards.merchant_id is not null
  and cards.kind in ('capture', 'return')
union all
select
    transfer.merchant_id,
    coalesce(transfer.currency, ''),
    1,
    transfer.amount_minor is not null,
    case transfer.kind when 'refund' then -transfer.amount_minor
        else transfer.amount_minor end
from temp.asof
inner join temp.transfers as transfer
    on transfer.settled_day = asof.business_date
where not transfer.is_return
    and transfer.transfer_type <> 'accountVerification';

with
item_figures as (
    select
        merchant_id,
        currency,
        sum(items) as items,
        case when sum(items) = sum(known) and currency <> ''
            then sum(amount_minor) end as amount_minor
    from temp.figured_items as items
    group by merchant_id, currency
),
all_rows as (
    select merchant_id, coalesce(currency, '') as currency
    from temp.configured_merchant
    union
    select merchant_id, currency from temp.deposit_figures
    union
    select merchant_id, currency from temp.batch_figures
    union
    select merchant_id, currency from item_figures
)
select
    merchants.merchant_id,
    merchants.name as merchant_name,
    all_rows.currency,
    coalesce(deposit_figures.deposits, 0) as deposits,
    case when deposit_figures.deposits is null
        then 0 else deposit_figures.net_minor end
        as deposited_net_minor,
    coalesce(batch_figures.batches, 0) as batches,
    coalesce(item_figures.items, 0) as items,
    case when item_figures.items is null
        then 0 else item_figures.amount_minor end
        as items_amount_minor,
    -- A merchant that no listing names has no figures.
    merchants.is_checked
        and merchants.merchant_id
            not in (
                select merchant_id from temp.unlisted_merchants where is_said
            )
        as is_checked
from all_rows
inner join temp.merchants as merchants
    on merchants.merchant_id = all_rows.merchant_id
left join temp.deposit_figures
    on deposit_figures.merchant_id = all_rows.merchant_id
    and deposit_figures.currency = all_rows.currency
left join temp.batch_figures
    on batch_figures.merchant_id = all_rows.merchant_id
    and batch_figures.currency = all_rows.currency
left join item_figures
    on item_figures.merchant_id = all_rows.merchant_id
    and item_figures.currency = all_rows.currency
-- A configured merchant without a currency has a row of its own only when it
-- has no other.
where not (
    all_rows.currency = ''
    and deposit_figures.deposits is null
    and batch_figures.batches is null
    and item_figures.items is null
    and exists (
        select 1 from all_rows as other
        where other.merchant_id = all_rows.merchant_id and other.currency <> ''
    )
)
order by merchants.merchant_id, all_rows.currency
