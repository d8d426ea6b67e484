-- purpose: the sum of the components of a deposit; null when one is unknown.
-- grain: one deposit.
create temp view deposit_net as
select
    deposit.ach_deposit_id,
    asof.sign_sales * deposit.sales_minor
        + asof.sign_returns * deposit.returns_minor
        + asof.sign_daily_fees * deposit.daily_fees_minor
        + asof.sign_held_sales * deposit.held_sales_minor
        + asof.sign_ach_adjustment * deposit.ach_adjustment_minor
        + asof.sign_holdback * deposit.holdback_minor
        + asof.sign_reserve_release * deposit.reserve_release_minor
            as net_expected_minor
from deposit
cross join temp.asof as asof;

-- purpose: the months whose fees can be taken by D: of the banks all since the
-- start, since their lines are paired anew; else the two months before that of
-- D, and the month before each open deposit.
create temp view fee_months as
with recursive
since_start (first, last) as (
    select date(start_date, 'start of month'), business_date
    from temp.asof
    where exists (select 1 from temp.merchants where names_bank)
    union all
    select date(first, '+1 month'), last
    from since_start
    where date(first, '+1 month') <= last
)
select first from since_start
union
select date(business_date, 'start of month', '-1 month') from temp.asof
union
select date(business_date, 'start of month', '-2 months') from temp.asof
union
select date(deposit.day, 'start of month', '-1 month')
from temp.carried as carried
cross join deposit
    on deposit.ach_deposit_id = cast(carried.ach_deposit_id as integer)
where carried.code in
    (select code from temp.reopened_by where what = 'deposit');

-- purpose: the listings of the fees of those months, with the last day of each
-- and the first that is known at all.
-- grain: one day that was read.
create temp table fee_days as
with
months as (
    select
        months.first,
        date(months.first, '+1 month', '-1 day') as last,
        max(months.first, asof.start_date) as first_known
    from temp.fee_months as months
    cross join temp.asof as asof
)
select
    months.*,
    listing.business_date as day,
    listing.listing_id,
    listing.reading_id
from months
cross join temp.complete_listing as listing
    on listing.resource = 'ach-deposit-fees'
    and listing.selector = 'date'
    and listing.business_date between months.first and months.last
    and listing.scope = '';

-- purpose: the fees of those months that name no deposit.
-- grain: one merchant and month with such a fee.
create temp view fees_by_month as
with
months as (
    select
        first,
        last,
        count(*) = julianday(last) - julianday(first) + 1 as is_whole,
        sum(day >= first_known)
            = julianday(last) - julianday(first_known) + 1 as is_known
    from temp.fee_days
    group by first, last
)
select
    months.first,
    months.last,
    -- Whether every day was read; and whether every day since the start was.
    months.is_whole,
    months.is_known,
    fee.merchant_id,
    case when count(*) = count(fee.amount_minor)
        then sum(fee.amount_minor) end as fees_minor
from months
inner join temp.fee_days as days on days.first = months.first
cross join fee indexed by fee_without_deposit
    on fee.listing_id = days.listing_id
    and fee.reading = days.reading_id
    and fee.ach_deposit_id is null
where fee.merchant_id is not null
group by months.first, months.last, months.is_whole, months.is_known,
    fee.merchant_id;

-- purpose: the same with what took them: the first deposit of the next month
-- that states fees, and that no fee names, unless a line of a bank did.
-- grain: one merchant and month with such a fee.
create temp table monthly_fees as
with
taken as (
    select
        months.*,
        case when months.is_whole then (
            select deposit.ach_deposit_id
            from temp.asof as asof
            cross join deposit
                on deposit.day between date(months.first, '+1 month')
                    and min(
                        date(months.first, '+2 months', '-1 day'),
                        asof.business_date
                    )
            where deposit.merchant_id = months.merchant_id
              and deposit.daily_fees_minor <> 0
              and deposit.gone_in is null
              and not exists (
                  select 1 from temp.complete_listing as named
                  where named.resource = 'ach-deposit-fees'
                    and named.selector = 'deposit'
                    and named.business_date = ''
                    and named.scope = cast(deposit.ach_deposit_id as text)
                    and named.records > 0
              )
            order by deposit.day, deposit.ach_deposit_id
            limit 1
        ) end as taken_by
    from temp.fees_by_month as months
)
select
    taken.*,
    coalesce(deposit.daily_fees_minor = taken.fees_minor, 0) as is_deducted,
    0 as is_at_bank
from taken
left join deposit on deposit.ach_deposit_id = taken.taken_by;

-- purpose: the deposits that D looks at.
-- grain: one deposit.
create temp table deposits_in_scope as
select deposit.ach_deposit_id
from temp.judged_days as judged
cross join deposit on deposit.day = judged.day
union
select cast(carried.ach_deposit_id as integer)
from temp.carried as carried
where carried.code in
    (select code from temp.reopened_by where what = 'deposit')
union
select deposit.ach_deposit_id
from temp.open_dates as dates
cross join temp.asof
cross join deposit
    on deposit.merchant_id = dates.merchant_id
    and deposit.association_date = dates.day
where dates.batches = 0
  and (dates.merchant_id, dates.day)
      not in (select merchant_id, day from temp.run_associations)
  and deposit.gone_in is null
  and deposit.day between asof.start_date and asof.business_date
  -- The fees of a date that was not run were not read.
  and (deposit.day = asof.business_date or deposit.day in
      (select business_date from business_day where reconciled));

-- purpose: the fees that name such a deposit.
-- grain: one deposit.
create temp view deposit_fee_totals as
select
    listing.scope as ach_deposit_id,
    count(fee.ordinal) as fees,
    case when count(fee.ordinal) = count(fee.amount_minor)
        then coalesce(sum(fee.amount_minor), 0) end as fees_total_minor
from temp.complete_listing as listing
left join fee
    on fee.listing_id = listing.listing_id
        and fee.reading = listing.reading_id
where listing.resource = 'ach-deposit-fees'
  and listing.selector = 'deposit'
  and listing.business_date = ''
  and listing.scope in
      (select cast(ach_deposit_id as text) from temp.deposits_in_scope as scope)
group by listing.scope;

-- purpose: the deposits that D looks at: paid on a day that D judges, with an
-- open finding, or for a date without a batch that belongs to no run.
-- grain: one deposit.
create temp table judged_deposits as
with
asof as (select * from temp.asof)
select
    deposit.*,
    merchants.is_checked,
    deposit.day = asof.business_date as is_paid_today,
    coalesce(members.group_date, deposit.association_date) as group_date,
    -- Its own currency where known, also in a group with another deposit whose
    -- currency is not.
    coalesce(currencies.currency, case
        when groups.currency_problem is null and split.group_date is null
            then coalesce(groups.currency, merchants.currency)
    end) as currency,
    exists (
        select 1 from temp.complete_listing as listing
        where listing.resource = 'batches'
          and listing.selector = 'date'
          and listing.business_date = deposit.association_date
    ) as are_batches_read,
    fee_totals.ach_deposit_id is not null as are_fees_read,
    case when monthly.taken_by is null then fee_totals.fees_total_minor
        else monthly.fees_minor end as fees_total_minor,
    monthly.taken_by is not null as is_billed_by_month,
    net.net_expected_minor
from temp.deposits_in_scope as scope
cross join asof
cross join deposit on deposit.ach_deposit_id = scope.ach_deposit_id
inner join temp.deposit_net as net on net.ach_deposit_id = scope.ach_deposit_id
inner join temp.merchants as merchants
    on merchants.merchant_id = deposit.merchant_id
left join temp.group_deposits as members
    on members.ach_deposit_id = deposit.ach_deposit_id
left join temp.deposit_currencies as currencies
    on currencies.ach_deposit_id = deposit.ach_deposit_id
left join temp.split_groups as split
    on split.merchant_id = members.merchant_id
    and split.group_date = members.group_date
left join temp.groups as groups
    on groups.merchant_id = deposit.merchant_id
    and groups.batch_date
        = coalesce(members.group_date, deposit.association_date)
    and case
        when split.group_date is not null
            then groups.currency = currencies.currency
        else groups.first_batch_id is null or groups.first_batch_id = (
            select min(other.first_batch_id) from temp.groups as other
            where other.merchant_id = groups.merchant_id
                and other.batch_date = groups.batch_date
        )
    end
left join temp.deposit_fee_totals as fee_totals
    on fee_totals.ach_deposit_id = cast(deposit.ach_deposit_id as text)
left join temp.monthly_fees as monthly
    on monthly.taken_by = deposit.ach_deposit_id
where deposit.gone_in is null;
create unique index temp.judged_deposits_key
    on judged_deposits (ach_deposit_id);
