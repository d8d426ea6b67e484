-- purpose: the groups that deposits and batches have in common.
-- grain: one merchant, batch date and currency; the days of one group have the
-- same figures.
create temp table groups as
with
asof as (select * from temp.asof),
currencies as (
    select
        merchant_id,
        group_date,
        count(*) as currencies,
        count(currency) as known_currencies
    from temp.batch_totals
    group by merchant_id, group_date
),
reads as (
    select
        days.merchant_id,
        days.group_date,
        min(case when not days_read.are_batches_read then days.batch_date end)
            as unread_batches,
        min(case when not days_read.are_deposits_read then days.batch_date end)
            as unread_deposits
    from temp.group_days as days
    cross join asof
    inner join temp.days_read as days_read
        on days_read.batch_date = days.batch_date
    -- A run may have a deposit that is dated after D.
    where days.batch_date <= asof.business_date
       or days.batch_date = days.group_date
    group by days.merchant_id, days.group_date
)
select
    days.merchant_id,
    merchants.is_checked,
    days.batch_date,
    days.group_date,
    case when currencies.currencies is null
        then merchants.currency else batches.currency end as currency,
    days.is_paid_today,
    due(days.last_date, merchants.payout_days, merchants.calendar) as due_date,
    due(days.last_date, merchants.payout_days, merchants.calendar)
        <= asof.business_date as is_due,
    coalesce(batches.batches, 0) as batches,
    case when batches.batches is null then 0 else batches.sales_minor end
        as batch_sales_minor,
    case when batches.batches is null then 0 else batches.returns_minor end
        as batch_returns_minor,
    case when batches.batches is null then 0 else batches.transactions end
        as batch_transactions,
    -- The figures that the deposits paid so far are compared with, and those of
    -- the whole group: the headers, unless links give more (13_group_links).
    case when batches.batches is null then 0 else batches.sales_minor end
        as below_sales_minor,
    case when batches.batches is null then 0 else batches.returns_minor end
        as below_returns_minor,
    case when batches.batches is null then 0 else batches.transactions end
        as below_transactions,
    case when batches.batches is null then 0 else batches.sales_minor end
        as whole_sales_minor,
    case when batches.batches is null then 0 else batches.returns_minor end
        as whole_returns_minor,
    case when batches.batches is null then 0 else batches.transactions end
        as whole_transactions,
    -- Why the level below is not known.
    null as below_problem,
    -- The deposit that may pay for it, or the batch that may belong to it,
    -- without naming it (13_group_links).
    null as unassigned,
    null as unclaimed,
    batches.first_batch_id,
    coalesce(batches.batch_ids, '') as batch_ids,
    coalesce(deposits.deposits, 0) as deposits,
    deposits.sales_minor as deposit_sales_minor,
    deposits.returns_minor as deposit_returns_minor,
    deposits.transactions as deposit_transactions,
    deposits.ach_adjustment_minor,
    deposits.net_amount_minor,
    deposits.stated_minor,
    coalesce(deposits.deposit_ids, '') as deposit_ids,
    (
        select coalesce(sum(returned.amount_minor), 0) from temp.group_returns
            as returned
        where returned.merchant_id = days.merchant_id
          and returned.group_date = days.group_date
          and returned.currency is case when batches.batches is null
              then merchants.currency else batches.currency end
    ) as returned_minor,
    case
        -- Without a batch and an adjustment nothing is compared.
        when batches.batches is null
            and coalesce(deposits.ach_adjustment_minor, 0) = 0 then null
        when merchants.terminals_problem is not null
            then replace(
                merchants.terminals_problem,
                char(10),
                ', so not all its returned bank transfers were read' || char(10)
            )
        when days.merchant_id in (select merchant_id from temp.returns_unread)
            then 'the returned bank transfers of merchant ' || days.merchant_id
                || ' were not read completely'
        when exists (
            select 1 from temp.group_returns as returned
            where returned.merchant_id = days.merchant_id
              and returned.group_date = days.group_date
              and (
                  not returned.is_placed
                  or returned.amount_minor is null
                  or returned.currency is null
              )
        )
            then 'the batch date that a returned bank transfer of merchant '
                || days.merchant_id || ' counts to is not known'
    end as returned_problem,
    -- This merchant's bank transfers were not requested; without an adjustment
    -- there is nothing to explain either.
    not merchants.are_terminals_known as are_returns_unknowable,
    -- Judged: dated on or after the start, or paid by a deposit on or after it.
    days.batch_date >= asof.start_date
        or coalesce(deposits.is_paid_since_start, 0) as is_judged,
    -- Tested on D: paid today, fallen due since the latest earlier date, or
    -- re-evaluated.
    days.is_paid_today
        or days.is_asked_again
        or (
            (
                days.was_in_transit
                or due(
                    days.last_date, merchants.payout_days, merchants.calendar
                )
                    > asof.due_after
            )
            and due(days.last_date, merchants.payout_days, merchants.calendar)
                <= asof.business_date
        ) as is_tested,
    case
        when reads.unread_batches is not null
            then 'the batches of ' || reads.unread_batches
                || ' were not read completely'
        when reads.unread_deposits is not null
            then 'the deposits from ' || reads.unread_deposits || ' to '
                || asof.business_date
                || ' were not read completely'
    end as unread,
    case
        when coalesce(currencies.currencies, 1) > 1
            and split.group_date is null
            then 'the batches of merchant ' || days.merchant_id || ' on '
                || days.batch_date
                || ' have several currencies'
        when currencies.currencies = 1 and currencies.known_currencies = 0
            then 'a batch of merchant ' || days.merchant_id || ' on '
                || days.batch_date
                || ' names no currency'
        when currencies.currencies is null
            and merchants.currency is null
            then 'the currency of merchant ' || days.merchant_id
                || ' is not known'
    end as currency_problem
from temp.group_days as days
cross join asof
inner join temp.merchants as merchants
    on merchants.merchant_id = days.merchant_id
inner join reads
    on reads.merchant_id = days.merchant_id
        and reads.group_date = days.group_date
left join currencies
    on currencies.merchant_id = days.merchant_id
        and currencies.group_date = days.group_date
left join temp.batch_totals as batches
    on batches.merchant_id = days.merchant_id
        and batches.group_date = days.group_date
left join temp.split_groups as split
    on split.merchant_id = days.merchant_id
        and split.group_date = days.group_date
left join temp.deposit_totals as deposits
    on deposits.merchant_id = days.merchant_id
        and deposits.group_date = days.group_date
        and deposits.currency is case when split.group_date is not null
            then batches.currency end;
create index temp.groups_key on groups (merchant_id, batch_date);
