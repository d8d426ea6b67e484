-- purpose: the rows of batches.csv, without their verdicts.
-- grain: one batch of D.
with asof as (select * from temp.asof)
select
    batch.batch_id,
    batch.merchant_id,
    merchants.name as merchant_name,
    batch.currency,
    batch.day as batch_date,
    batch.transaction_count,
    batch.sale_amount_minor,
    batch.return_amount_minor,
    case when comparison.problem is null then
        case when comparison.is_whole_group then cards.items else comparison.items end
    end as items_count,
    case when comparison.problem is null and not comparison.has_unknown_amount then
        case when comparison.is_whole_group
            then cards.sales_minor else comparison.items_sales_minor end
    end as items_sales_minor,
    case when comparison.problem is null and not comparison.has_unknown_amount then
        case when comparison.is_whole_group
            then cards.returns_minor else comparison.items_returns_minor end
    end as items_returns_minor,
    groups.deposit_ids as ach_deposit_id,
    groups.unread is not null as is_unread,
    not groups.is_due
        and (
            batch.transaction_count is not 0
            or batch.sale_amount_minor is not 0
            or batch.return_amount_minor is not 0
        )
        and (
            groups.deposits = 0
            or groups.deposit_sales_minor < groups.batch_sales_minor
            or groups.deposit_returns_minor < groups.batch_returns_minor
            or groups.deposit_transactions < groups.batch_transactions
            or groups.ach_adjustment_minor < groups.returned_minor
        ) as is_in_transit,
    merchants.is_checked
from asof
cross join batch on batch.day = asof.business_date
inner join temp.merchants as merchants on merchants.merchant_id = batch.merchant_id
inner join temp.groups as groups
    on groups.merchant_id = batch.merchant_id
    and groups.batch_date = batch.day
    and groups.currency is batch.currency
left join temp.card_totals as cards on cards.batch_id = batch.batch_id
left join temp.batch_comparisons as comparison
    on comparison.merchant_id = batch.merchant_id
    and comparison.batch_date = batch.day
    and comparison.currency is batch.currency
    and (comparison.is_whole_group or comparison.subject = cast(batch.batch_id as text))
where batch.gone_in is null
order by batch.batch_id
