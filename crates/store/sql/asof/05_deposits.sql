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

-- purpose: the deposits that D looks at: paid on a day that D judges, with an
-- open finding, or for a date without a batch that belongs to no run.
-- grain: one deposit.
create temp table judged_deposits as
with
asof as (select * from temp.asof),
scope as (
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
    cross join asof
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
          (select business_date from business_day where reconciled))
),
fee_totals as (
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
      and listing.scope in (select cast(ach_deposit_id as text) from scope)
    group by listing.scope
)
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
    fee_totals.fees_total_minor,
    net.net_expected_minor
from scope
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
left join fee_totals
    on fee_totals.ach_deposit_id = cast(deposit.ach_deposit_id as text)
where deposit.gone_in is null;
create unique index temp.judged_deposits_key
    on judged_deposits (ach_deposit_id);
