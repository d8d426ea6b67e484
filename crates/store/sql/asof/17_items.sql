-- purpose: authorizations that repeat a transaction of their merchant; the
-- lowest authorization id stands for the transaction, every other one is extra.
-- grain: one extra authorization and transaction, with the one that stands.
create temp table extra_authorizations as
with
pairs as (
    select
        one.transaction_id,
        max(one.authorization_id, other.authorization_id) as extra_id,
        min(one.authorization_id, other.authorization_id) as lower_id
    from temp.repeated_cards as repeated
    cross join owned_authorization as one
        on one.authorization_id = repeated.authorization_id
        and one.transaction_key = repeated.transaction_id
    inner join owned_authorization as other
        on other.transaction_id = one.transaction_id
        and other.merchant_id = one.merchant_id
        and other.authorization_id <> one.authorization_id
    where one.transaction_id is not null
      and one.gone_in is null
      and other.gone_in is null
      and (
          other.day = one.day
          or other.day in (select business_date from temp.known_days)
          or (other.merchant_id, other.day) in (
              select merchant_id, business_date from temp.known_early_days
          )
      )
)
select extra_id, transaction_id, min(lower_id) as standing_id
from pairs
group by extra_id, transaction_id;
create unique index temp.extra_authorizations_key
    on extra_authorizations (extra_id, transaction_id);

-- purpose: the listed card items less the extra ones.
-- grain: one day, batch, merchant, currency and kind.
create temp table cards as
with
parts as (
    select day, batch_id, merchant_id, currency, kind, items, known,
        amount_minor
    from temp.listed_cards
    union all
    select
        item.day,
        item.batch_id,
        item.merchant_id,
        item.currency,
        case when item.transaction_type in ('capture', 'return')
            then item.transaction_type else 'unknown' end,
        -1,
        -(item.amount_minor is not null),
        case item.transaction_type when 'return'
            then -coalesce(abs(item.amount_minor), 0)
            else -coalesce(item.amount_minor, 0) end
    from temp.extra_authorizations as extra
    cross join owned_authorization as item
        on item.authorization_id = extra.extra_id
        and item.transaction_key = extra.transaction_id
    where item.has_transaction
      and item.gone_in is null
      and item.day in (select day from temp.card_days)
)
select
    day,
    batch_id,
    merchant_id,
    currency,
    kind,
    sum(items) as items,
    sum(known) as known,
    sum(amount_minor) as amount_minor
from parts
where kind <> 'none'
group by day, batch_id, merchant_id, currency, kind
having sum(items) > 0;
create index temp.cards_by_batch on cards (day, batch_id);

-- purpose: the sums of the card items of each batch.
-- grain: one batch.
create temp table card_totals as
select
    batches.batch_id,
    -- A batch without items joins one row of nulls.
    coalesce(sum(case when cards.kind <> 'unknown' then cards.items end), 0)
        as items,
    coalesce(sum(case when cards.kind = 'unknown' then cards.items end), 0)
        as unknown_types,
    coalesce(sum(case when cards.kind = 'capture'
        then cards.items - cards.known end), 0) as unknown_sales,
    coalesce(sum(case when cards.kind = 'return'
        then cards.items - cards.known end), 0) as unknown_returns,
    coalesce(sum(case when cards.currency is null
        then cards.items end), 0) as unknown_currencies,
    coalesce(sum(case when cards.kind = 'capture' then cards.amount_minor end),
        0) as sales_minor,
    coalesce(sum(case when cards.kind = 'return' then cards.amount_minor end),
        0) as returns_minor
from temp.judged_batches as batches
left join temp.cards as cards
    on cards.day = batches.batch_date
    and cards.batch_id = batches.batch_id
    and (cards.currency is null or cards.currency is batches.currency)
group by batches.batch_id;
create unique index temp.card_totals_key on card_totals (batch_id);

-- purpose: the number of batches of a merchant, batch date and currency.
-- grain: one merchant, batch date and currency.
create temp view batch_counts as
select
    batches.merchant_id,
    batches.batch_date,
    batches.currency,
    count(*) as batches,
    min(batches.batch_id) as first_batch_id,
    -- Bank transfers name no batch: any of them may belong to a batch of
    -- unknown currency.
    exists (
        select 1 from temp.judged_batches as other
        where other.merchant_id = batches.merchant_id
          and other.batch_date = batches.batch_date
          and other.currency is null
    ) as has_unknown_currency
from temp.judged_batches as batches
group by batches.merchant_id, batches.batch_date, batches.currency;

-- purpose: each batch with the bank transfers of its merchant, date and
-- currency.
-- grain: one batch.
create temp view batch_members as
select
    batches.*,
    coalesce(transfers.items, 0) as transfer_items,
    case when transfers.items is null then 0 else transfers.sales_minor end
        as transfer_sales_minor,
    case when transfers.items is null then 0
        else transfers.returns_minor end
        as transfer_returns_minor,
    coalesce(transfers.items, 0) > 0
        and totals.batches > 1 as is_whole_group,
    coalesce(transfers.items, 0) > 0
        and totals.has_unknown_currency as are_transfers_unclear,
    unnamed.items is not null as has_unnamed_transfers,
    transfers.items > 0 and exists (
        select 1 from temp.nameless_batches as nameless
        where nameless.day = batches.batch_date
    ) as has_nameless_batch,
    totals.first_batch_id
from temp.judged_batches as batches
inner join temp.batch_counts as totals
    on totals.merchant_id = batches.merchant_id
    and totals.batch_date = batches.batch_date
    and totals.currency is batches.currency
left join temp.transfer_totals as transfers
    on transfers.merchant_id = batches.merchant_id
    and transfers.batch_date = batches.batch_date
    and transfers.currency = batches.currency
left join temp.transfer_totals as unnamed
    on unnamed.merchant_id = batches.merchant_id
    and unnamed.batch_date = batches.batch_date
    and unnamed.currency is null;

-- purpose: the comparisons on the level of batches: a batch with its items
-- where they can be told apart, else the merchant-day as a whole.
-- grain: one batch, or one merchant, batch date and currency.
create temp table batch_comparisons as
select
    members.merchant_id,
    merchants.is_checked,
    members.batch_date,
    members.currency,
    members.is_whole_group,
    case when members.is_whole_group
        then members.merchant_id || '/' || members.currency || '/'
            || members.batch_date
        else cast(members.batch_id as text) end as subject,
    group_concat(members.batch_id, ';' order by members.batch_id) as batch_ids,
    case when count(*) = count(members.sale_amount_minor)
        then sum(members.sale_amount_minor) end as header_sales_minor,
    case when count(*) = count(members.return_amount_minor)
        then sum(members.return_amount_minor) end as header_returns_minor,
    case when count(*) = count(members.transaction_count)
        then sum(members.transaction_count) end as header_count,
    sum(cards.items) + max(members.transfer_items) as items,
    -- Null when one of the amounts is unknown.
    case when sum(cards.unknown_sales) = 0
        and max(members.transfer_sales_minor is null) = 0
        then sum(cards.sales_minor) + max(members.transfer_sales_minor) end
            as items_sales_minor,
    case when sum(cards.unknown_returns) = 0
        and max(members.transfer_returns_minor is null) = 0
        then sum(cards.returns_minor) + max(members.transfer_returns_minor)
    end as items_returns_minor,
    -- Why bank transfers that were not requested may be among its items.
    merchants.terminals_problem,
    merchants.terminals_remedy,
    -- Why a difference may not be real.
    case when max(members.has_nameless_batch)
        then json_array('nameless_batch_on', members.batch_date,
            members.merchant_id)
    end as unclaimed,
    case
        when not days_read.are_batches_read
            then json_array('batches_unread', members.batch_date)
        when not days_read.are_authorizations_read
            then json_array('authorizations_unread', members.batch_date)
        when (members.merchant_id, members.batch_date)
            in (select merchant_id, day from temp.settled_unread)
            then json_array('settled_unread', members.merchant_id,
                members.batch_date)
        when members.merchant_id in
            (select merchant_id from temp.returns_unread)
            then json_array('returns_unread', members.merchant_id)
        when members.currency is null or max(members.are_transfers_unclear)
            then json_array('batch_without_currency', members.merchant_id,
                members.batch_date)
        when sum(cards.unknown_types) > 0
            then json_array('item_of_unknown_type')
        when sum(cards.unknown_currencies) > 0
            then json_array('item_without_currency')
        when max(members.has_unnamed_transfers)
            then json_array('transfer_without_currency', members.merchant_id,
                members.batch_date)
    end as problem
from temp.batch_members as members
inner join temp.card_totals as cards on cards.batch_id = members.batch_id
inner join temp.merchants as merchants
    on merchants.merchant_id = members.merchant_id
inner join temp.days_read as days_read
    on days_read.batch_date = members.batch_date
group by
    members.merchant_id,
    members.batch_date,
    members.currency,
    case when members.is_whole_group then 0 else members.batch_id end;
