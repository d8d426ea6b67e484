-- purpose: the rows of deposits.csv, without their verdicts.
-- grain: one deposit paid on D.

-- purpose: the groups, and whether the amounts of the whole group are known.
-- When it ties out, nothing else belongs to it.
-- grain: one group.
create temp view told_groups as
select
    groups.*,
    coalesce(
        groups.unread, groups.currency_problem, groups.below_problem
    ) is null
    and (
        groups.unclaimed is null
        or (
            groups.deposit_sales_minor = groups.whole_sales_minor
            and groups.deposit_returns_minor = groups.whole_returns_minor
            and groups.deposit_transactions = groups.whole_transactions
        )
    ) as is_told
from temp.groups as groups;

-- purpose: the fees of each deposit of a group paid on D; null when they were
-- not read or one has no amount.
-- grain: one deposit.
create temp view paid_deposit_fees as
select
    members.merchant_id,
    members.group_date,
    case when split.group_date is not null then currencies.currency
        end as currency,
    deposit.day || '/' || printf('%020d', deposit.ach_deposit_id) as place,
    (
        select coalesce(sum(fee.amount_minor), 0)
        from temp.complete_listing as listing
        left join fee
            on fee.listing_id = listing.listing_id
                and fee.reading = listing.reading_id
        where listing.resource = 'ach-deposit-fees'
          and listing.selector = 'deposit'
          and listing.business_date = ''
          and listing.scope = cast(deposit.ach_deposit_id as text)
        group by listing.listing_id
        having count(fee.ordinal) = count(fee.amount_minor)
    ) as fees_minor
from temp.group_days as days
inner join temp.group_deposits as members
    on members.merchant_id = days.merchant_id
        and members.group_date = days.group_date
cross join deposit on deposit.ach_deposit_id = members.ach_deposit_id
inner join temp.deposit_currencies as currencies
    on currencies.ach_deposit_id = members.ach_deposit_id
left join temp.split_groups as split
    on split.merchant_id = members.merchant_id
        and split.group_date = members.group_date
where days.is_paid_today
  and days.batch_date = days.group_date;

-- grain: one group and currency.
create temp view paid_group_fees as
select
    merchant_id,
    group_date,
    currency,
    max(place) as last_deposit,
    case when count(*) = count(fees_minor) then sum(fees_minor) end
        as fees_minor
from temp.paid_deposit_fees
group by merchant_id, group_date, currency;

-- purpose: the group of each deposit, with the explanation of its adjustment
-- and its fees; whether the deposit is the last one of it.
-- grain: one deposit paid on D.
create temp view paid_groups as
select
    deposits.ach_deposit_id,
    groups.*,
    explained.verdict as explained_by,
    explained.problem as explanation_problem,
    coalesce(explained.disputed_minor, 0) as disputed_minor,
    coalesce(explained.carried_minor, 0) as carried_minor,
    coalesce(undated.undated_minor, 0) as undated_minor,
    group_fees.fees_minor,
    group_fees.last_deposit
        = deposits.day || '/' || printf('%020d', deposits.ach_deposit_id)
        as is_last
from temp.judged_deposits as deposits
left join temp.split_groups as split
    on split.merchant_id = deposits.merchant_id
        and split.group_date = deposits.group_date
left join temp.told_groups as groups
    on groups.merchant_id = deposits.merchant_id
    and groups.batch_date = deposits.group_date
    and case
        when split.group_date is not null
            then groups.currency = deposits.currency
        else groups.first_batch_id is null or groups.first_batch_id = (
            select min(other.first_batch_id) from temp.groups as other
            where other.merchant_id = groups.merchant_id
              and other.batch_date = groups.batch_date
        )
    end
left join temp.group_adjustments as explained
    on explained.merchant_id = groups.merchant_id
    and explained.batch_date = groups.group_date
    and explained.currency = groups.currency
-- An adjustment that disputes or returns explain needs no payment without a
-- date.
left join temp.undated_groups as undated
    on undated.merchant_id = groups.merchant_id
    and undated.batch_date = groups.group_date
    and undated.currency = groups.currency
    and undated.undated_minor
        = groups.ach_adjustment_minor - groups.returned_minor
    and explained.verdict is not 'explained'
left join temp.paid_group_fees as group_fees
    on group_fees.merchant_id = deposits.merchant_id
    and group_fees.group_date = deposits.group_date
    and group_fees.currency is case when split.group_date is not null
        then deposits.currency end
where deposits.is_paid_today;

-- purpose: the same with the parts of the adjustment and the rest of the group
-- that nothing explains.
-- grain: one deposit paid on D.
create temp view paid_group_rests as
select
    groups.*,
    case
        when coalesce(
            groups.unread, groups.currency_problem, groups.returned_problem
        ) is null
            and (
                groups.unclaimed is null
                or groups.ach_adjustment_minor = groups.returned_minor
            )
            then groups.returned_minor + groups.undated_minor
    end as returned_amount_minor,
    -- On the last deposit of a group, over the whole group; unknown while more
    -- deposits are to come.
    case
        when groups.is_told
            and groups.unassigned is null
            and (groups.returned_problem is null or (
                groups.are_returns_unknowable
                    and groups.ach_adjustment_minor = 0))
            and groups.is_last
            and (groups.is_due or not (
                groups.deposit_sales_minor < groups.batch_sales_minor
                or groups.deposit_returns_minor < groups.batch_returns_minor
                or groups.deposit_transactions < groups.batch_transactions
            ))
            then groups.net_amount_minor - (
                asof.sign_sales * groups.below_sales_minor
                + asof.sign_returns * groups.below_returns_minor
                + asof.sign_daily_fees * groups.fees_minor
                + asof.sign_ach_adjustment * (
                    groups.returned_minor
                    + groups.undated_minor
                    + groups.disputed_minor
                    + groups.carried_minor
                )
                + groups.stated_minor
            )
    end as unexplained_minor,
    -- On the last deposit of a group as well; unknown where the disputes are
    -- unknown.
    case
        when groups.explained_by in ('blind', 'several', 'bounded')
            or groups.explanation_problem is not null then null
        when not coalesce((
            select is_there from key_operation where name = 'disputes'
        ), 0) then null
        when groups.returned_problem is null
            and groups.is_last
            then groups.disputed_minor
    end as told_disputed_minor
from temp.paid_groups as groups
cross join temp.asof as asof;

-- purpose: the deposits whose group still waits for another one.
-- grain: one deposit paid on D.
create temp view deposits_in_transit as
select groups.ach_deposit_id
from temp.paid_groups as groups
where not groups.is_due
    and (
        groups.deposit_sales_minor < groups.batch_sales_minor
        or groups.deposit_returns_minor < groups.batch_returns_minor
        or groups.deposit_transactions < groups.batch_transactions
        or (
            groups.ach_adjustment_minor < groups.returned_minor
            and groups.explained_by is not 'explained'
        )
    )
    or (
        groups.ach_adjustment_minor < groups.returned_minor
        and groups.explained_by is not 'explained'
        and exists (
            select 1 from temp.waiting_returns as waiting
            where waiting.merchant_id = groups.merchant_id
              and waiting.group_date = groups.group_date
              and waiting.currency = groups.currency
        )
    )
    -- Money on hold has no due date.
    or exists (
        select 1 from temp.group_holds as holds
        where holds.merchant_id = groups.merchant_id
          and holds.group_date = groups.group_date
          and holds.currency is groups.currency
          and holds.held_transactions > 0
    )
    or exists (
        select 1 from temp.partial_groups as partial
        where partial.merchant_id = groups.merchant_id
          and partial.batch_date = groups.group_date
          and partial.currency is groups.currency
    );

select
    deposits.ach_deposit_id,
    deposits.merchant_id,
    merchants.name as merchant_name,
    deposits.currency,
    deposits.association_date,
    deposits.ach_date,
    deposits.payment_date,
    deposits.transactions,
    deposits.sales_minor,
    deposits.returns_minor,
    deposits.daily_fees_minor,
    deposits.held_sales_minor,
    deposits.ach_adjustment_minor,
    deposits.holdback_minor,
    deposits.reserve_release_minor,
    deposits.net_amount_minor,
    deposits.net_expected_minor,
    case when groups.is_told then groups.whole_sales_minor end
        as batch_sales_minor,
    case when groups.is_told then groups.whole_returns_minor end
        as batch_returns_minor,
    case when groups.is_told then groups.whole_transactions end
        as batch_transactions,
    case when deposits.are_fees_read then deposits.fees_total_minor end
        as fees_total_minor,
    groups.returned_amount_minor,
    groups.unexplained_minor,
    -- The verdict follows from the facts below.
    'tied' as verdict,
    -- The banks are matched later.
    null as bank_date,
    null as bank_minor,
    null as bank_verdict,
    case when groups.unread is null then (
        select group_concat(paid.day, ';' order by paid.day)
        from (
            select distinct batch.day
            from temp.group_days as days
            cross join batch
                on batch.merchant_id = days.merchant_id
                and batch.day = days.batch_date
            where days.merchant_id = deposits.merchant_id
              and days.group_date = deposits.group_date
              and batch.currency is deposits.currency
              and batch.gone_in is null
        ) as paid
    ) end as pays_for,
    groups.told_disputed_minor as disputed_minor,
    merchants.is_checked
        and deposits.ach_deposit_id in
            (select ach_deposit_id from temp.deposits_in_transit)
        as is_in_transit,
    merchants.is_checked
from temp.judged_deposits as deposits
inner join temp.merchants as merchants
    on merchants.merchant_id = deposits.merchant_id
inner join temp.paid_group_rests as groups
    on groups.ach_deposit_id = deposits.ach_deposit_id
where deposits.is_paid_today
order by deposits.ach_deposit_id
