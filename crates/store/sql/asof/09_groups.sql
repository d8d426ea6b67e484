-- purpose: the number of currencies of the batches of a group.
-- grain: one merchant and group.
create temp view group_currencies as
select
    merchant_id,
    group_date,
    count(*) as currencies,
    count(currency) as known_currencies
from temp.batch_totals
group by merchant_id, group_date;

-- purpose: the first days of a group whose listings were not all read.
-- grain: one merchant and group.
create temp view group_reads as
select
    days.merchant_id,
    days.group_date,
    min(case when not days_read.are_batches_read then days.batch_date end)
        as unread_batches,
    min(case when not days_read.are_deposits_read then days.batch_date end)
        as unread_deposits
from temp.group_days as days
cross join temp.asof as asof
inner join temp.days_read as days_read
    on days_read.batch_date = days.batch_date
-- A run may have a deposit that is dated after D.
where days.batch_date <= asof.business_date
   or days.batch_date = days.group_date
group by days.merchant_id, days.group_date;

-- purpose: the batches and the deposits of each group, with the terms of its
-- merchant.
-- grain: one merchant, batch date and currency.
create temp view group_parts as
select
    days.*,
    merchants.is_checked,
    merchants.are_terminals_known,
    merchants.terminals_problem,
    merchants.terminals_remedy,
    merchants.currency as merchant_currency,
    due(days.last_date, merchants.payout_days, merchants.calendar) as due_date,
    case when currencies.currencies is null
        then merchants.currency else batches.currency end as currency,
    currencies.currencies,
    currencies.known_currencies,
    split.group_date is not null as is_split,
    reads.unread_batches,
    reads.unread_deposits,
    batches.batches,
    case when batches.batches is null then 0 else batches.sales_minor end
        as batch_sales_minor,
    case when batches.batches is null then 0 else batches.returns_minor end
        as batch_returns_minor,
    case when batches.batches is null then 0 else batches.transactions end
        as batch_transactions,
    batches.first_batch_id,
    batches.batch_ids,
    deposits.deposits,
    deposits.sales_minor as deposit_sales_minor,
    deposits.returns_minor as deposit_returns_minor,
    deposits.transactions as deposit_transactions,
    deposits.ach_adjustment_minor,
    deposits.net_amount_minor,
    deposits.stated_minor,
    deposits.deposit_ids,
    deposits.is_paid_since_start
from temp.group_days as days
inner join temp.merchants as merchants
    on merchants.merchant_id = days.merchant_id
inner join temp.group_reads as reads
    on reads.merchant_id = days.merchant_id
        and reads.group_date = days.group_date
left join temp.group_currencies as currencies
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

-- purpose: the same with the reasons why a group cannot be evaluated.
-- grain: one merchant, batch date and currency.
create temp view group_problems as
select
    parts.*,
    case
        -- Without a batch and an adjustment nothing is compared.
        when parts.batches is null
            and coalesce(parts.ach_adjustment_minor, 0) = 0 then null
        when parts.terminals_problem is not null
            then parts.terminals_problem || json_array('so_returns_unread')
                || parts.terminals_remedy
        when parts.merchant_id in (select merchant_id from temp.returns_unread)
            then json_array('returns_unread', parts.merchant_id)
        when exists (
            select 1 from temp.group_returns as returned
            where returned.merchant_id = parts.merchant_id
              and returned.group_date = parts.group_date
              and (
                  not returned.is_placed
                  or returned.amount_minor is null
                  or returned.currency is null
              )
        )
            then json_array('return_unplaced', parts.merchant_id)
    end as returned_problem,
    case
        when parts.unread_batches is not null
            then json_array('batches_unread', parts.unread_batches)
        when parts.unread_deposits is not null
            then json_array(
                'deposits_unread', parts.unread_deposits, asof.business_date
            )
    end as unread,
    case
        when coalesce(parts.currencies, 1) > 1 and not parts.is_split
            then json_array(
                'several_currencies', parts.merchant_id, parts.batch_date
            )
        when parts.currencies = 1 and parts.known_currencies = 0
            then json_array(
                'batch_without_currency', parts.merchant_id, parts.batch_date
            )
        when parts.currencies is null and parts.merchant_currency is null
            then json_array('merchant_without_currency', parts.merchant_id)
    end as currency_problem
from temp.group_parts as parts
cross join temp.asof as asof;

-- purpose: the groups that deposits and batches have in common.
-- grain: one merchant, batch date and currency; the days of one group have the
-- same figures.
create temp table groups as
select
    parts.merchant_id,
    parts.is_checked,
    parts.batch_date,
    parts.group_date,
    parts.currency,
    parts.is_paid_today,
    parts.due_date,
    parts.due_date <= asof.business_date as is_due,
    coalesce(parts.batches, 0) as batches,
    parts.batch_sales_minor,
    parts.batch_returns_minor,
    parts.batch_transactions,
    -- The level below the deposits: `below_` for those paid so far, `whole_` of
    -- the group. It is that of the headers; 13_group_links puts the linked
    -- transactions in its place where they are known.
    parts.batch_sales_minor as below_sales_minor,
    parts.batch_returns_minor as below_returns_minor,
    parts.batch_transactions as below_transactions,
    parts.batch_sales_minor as whole_sales_minor,
    parts.batch_returns_minor as whole_returns_minor,
    parts.batch_transactions as whole_transactions,
    -- Why the level below is not known.
    null as below_problem,
    -- The deposit that may pay for it, or the batch that may belong to it,
    -- without naming it (13_group_links).
    null as unassigned,
    null as unclaimed,
    parts.first_batch_id,
    coalesce(parts.batch_ids, '') as batch_ids,
    coalesce(parts.deposits, 0) as deposits,
    parts.deposit_sales_minor,
    parts.deposit_returns_minor,
    parts.deposit_transactions,
    parts.ach_adjustment_minor,
    parts.net_amount_minor,
    parts.stated_minor,
    coalesce(parts.deposit_ids, '') as deposit_ids,
    (
        select coalesce(sum(returned.amount_minor), 0)
        from temp.group_returns as returned
        where returned.merchant_id = parts.merchant_id
          and returned.group_date = parts.group_date
          and returned.currency is parts.currency
    ) as returned_minor,
    parts.returned_problem,
    -- This merchant's bank transfers were not requested; without an adjustment
    -- there is nothing to explain either.
    not parts.are_terminals_known as are_returns_unknowable,
    -- Judged: dated on or after the start, or paid by a deposit on or after it.
    parts.batch_date >= asof.start_date
        or coalesce(parts.is_paid_since_start, 0) as is_judged,
    -- Tested on D: paid today, fallen due since the latest earlier date, or
    -- re-evaluated.
    parts.is_paid_today
        or parts.is_asked_again
        or (
            (parts.was_in_transit or parts.due_date > asof.due_after)
            and parts.due_date <= asof.business_date
        ) as is_tested,
    parts.unread,
    parts.currency_problem
from temp.group_problems as parts
cross join temp.asof as asof;
create index temp.groups_key on groups (merchant_id, batch_date);
