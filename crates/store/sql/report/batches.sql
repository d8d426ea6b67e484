-- purpose: the rows of batches.csv, without their verdicts.
-- grain: one batch of D.

-- purpose: the part of a batch of D that no deposit holds for another reason
-- than its due date.
-- grain: one batch.
create temp view batches_apart as
with signed as (
    select
        card.batch_id,
        card.standing,
        case card.transaction_type
            when 'capture' then card.amount_minor
            when 'return' then -abs(card.amount_minor)
        end as amount_minor
    from temp.asof as asof
    cross join temp.asof_transaction as card on card.day = asof.business_date
    where asof.uses_links
      and card.ach_deposit_id is null
      and card.gone_in is null
      and card.standing in ('held', 'held_30', 'elsewhere', 'withdrawn')
)
select
    batch_id,
    sum(case when standing in ('held', 'held_30') then amount_minor end)
        as on_hold_minor,
    sum(case when standing = 'elsewhere' then amount_minor end)
        as elsewhere_minor,
    sum(case when standing = 'withdrawn' then amount_minor end)
        as withdrawn_minor
from signed
group by batch_id;

-- purpose: the card items of a batch, and whether their number is known.
-- grain: one batch.
create temp view known_card_totals as
select
    totals.*,
    totals.unknown_types = 0
        and totals.unknown_currencies = 0
        and exists (
            select 1 from temp.days_read as days_read
            cross join temp.asof as asof
            where days_read.batch_date = asof.business_date
              and days_read.are_authorizations_read
        ) as is_known
from temp.card_totals as totals;

-- purpose: the comparisons, and whether their items are known.
-- grain: one row of batch_comparisons.
create temp view told_comparisons as
select
    *,
    problem is null and (
        unclaimed is null
        or (
            items = header_count
            and items_sales_minor = header_sales_minor
            and items_returns_minor = header_returns_minor
        )
    ) as is_told
from temp.batch_comparisons;

-- purpose: the items of each batch of D.
-- grain: one batch.
create temp view batch_items as
select
    batch.batch_id,
    -- For a batch whose group is checked as a whole: the card items alone.
    case
        when comparison.is_whole_group
            then case when cards.is_known then cards.items end
        when comparison.is_told then comparison.items
    end as items_count,
    case
        when comparison.is_whole_group
            then case when cards.is_known and cards.unknown_sales = 0
                then cards.sales_minor end
        when comparison.is_told then comparison.items_sales_minor
    end as items_sales_minor,
    case
        when comparison.is_whole_group
            then case when cards.is_known and cards.unknown_returns = 0
                then cards.returns_minor end
        when comparison.is_told then comparison.items_returns_minor
    end as items_returns_minor
from temp.asof as asof
cross join batch on batch.day = asof.business_date
left join temp.known_card_totals as cards on cards.batch_id = batch.batch_id
left join temp.told_comparisons as comparison
    on comparison.merchant_id = batch.merchant_id
    and comparison.batch_date = batch.day
    and comparison.currency is batch.currency
    and (
        comparison.is_whole_group
        or comparison.subject = cast(batch.batch_id as text)
    )
where batch.gone_in is null;

-- purpose: the groups, and whether money of them is in transit.
-- grain: one group.
create temp view paid_in_part as
select
    groups.*,
    (
        not groups.is_due
        and (
            (
                -- Nothing is in transit for a group that is worth nothing.
                groups.deposits = 0
                and not (
                    groups.batch_transactions is 0
                    and groups.batch_sales_minor is 0
                    and groups.batch_returns_minor is 0
                )
            )
            or groups.deposit_sales_minor < groups.batch_sales_minor
            or groups.deposit_returns_minor < groups.batch_returns_minor
            or groups.deposit_transactions < groups.batch_transactions
            or (
                groups.ach_adjustment_minor < groups.returned_minor
                and not exists (
                    select 1 from temp.group_adjustments as explained
                    where explained.merchant_id = groups.merchant_id
                      and explained.batch_date = groups.group_date
                      and explained.verdict = 'explained'
                )
            )
        )
    )
    -- Money on hold has no due date.
    or exists (
        select 1 from temp.group_holds as holds
        where holds.merchant_id = groups.merchant_id
          and holds.group_date = groups.group_date
          and holds.currency is groups.currency
          and holds.held_transactions > 0
    ) as is_in_transit
from temp.groups as groups;

-- Whether the card transactions of D were read.
with links as (
    select asof.uses_links and exists (
        select 1 from temp.complete_listing as listing
        where listing.resource = 'transactions'
          and listing.selector = 'date'
          and listing.business_date = asof.business_date
    ) as is_read
    from temp.asof as asof
)
select
    batch.batch_id,
    batch.merchant_id,
    merchants.name as merchant_name,
    batch.currency,
    batch.day as batch_date,
    batch.transaction_count,
    batch.sale_amount_minor,
    batch.return_amount_minor,
    items.items_count,
    items.items_sales_minor,
    items.items_returns_minor,
    groups.deposit_ids as ach_deposit_id,
    groups.unread is not null as is_unread,
    -- The verdict follows from the facts below.
    'tied' as verdict,
    groups.is_in_transit,
    -- Empty where the key cannot determine it; card types may.
    case when links.is_read then coalesce(apart.on_hold_minor, 0)
        end as on_hold_minor,
    case when links.is_read then coalesce(apart.elsewhere_minor, 0)
        else elsewhere.sales_minor - elsewhere.returns_minor
        end as settled_elsewhere_minor,
    case when links.is_read then coalesce(apart.withdrawn_minor, 0)
        end as withdrawn_minor,
    merchants.is_checked
from temp.asof as asof
cross join links
cross join batch on batch.day = asof.business_date
inner join temp.merchants as merchants
    on merchants.merchant_id = batch.merchant_id
inner join temp.paid_in_part as groups
    on groups.merchant_id = batch.merchant_id
    and groups.batch_date = batch.day
    and groups.currency is batch.currency
left join temp.batches_apart as apart on apart.batch_id = batch.batch_id
left join temp.elsewhere_batches as elsewhere
    on elsewhere.batch_id = batch.batch_id
inner join temp.batch_items as items on items.batch_id = batch.batch_id
where batch.gone_in is null
order by batch.batch_id
