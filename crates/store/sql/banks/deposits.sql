-- purpose: the deposits of a merchant with a bank that its statements must
-- show, as of D. Those of the days before the start date are known in part:
-- they explain lines but are never reported as missing.
-- grain: one deposit.
-- parameters: :merchant_id; :currency, the configured one; :first_date, the
-- earliest payment date to look at.

-- purpose: the deposits, each with the transactions of its group that were paid
-- by then, and the one that it repeats.
-- grain: one deposit.
create temp view counted_deposit as
with
deposits as (
    select
        deposit.ach_deposit_id, deposit.merchant_id, deposit.association_date,
        deposit.ach_date, deposit.payment_date, deposit.net_amount_minor,
        deposit.day, deposit.sales_minor, deposit.returns_minor,
        deposit.transactions,
        -- The highest id of its group with its figures that was paid before it.
        max(deposit.ach_deposit_id) over (
            partition by deposit.merchant_id, deposit.association_date,
                deposit.net_amount_minor, deposit.sales_minor,
                deposit.returns_minor, deposit.transactions,
                deposit.ach_adjustment_minor
            order by deposit.day, deposit.ach_deposit_id
            rows between unbounded preceding and 1 preceding
        ) as twin_of
    from deposit
    where deposit.gone_in is null
)
-- A step of its own: a search by merchant reaches only steps of one partition.
select
    deposits.*,
    sum(deposits.transactions) over (
        partition by deposits.merchant_id, deposits.association_date
        order by deposits.day, deposits.ach_deposit_id
    ) as transactions_by_then
from deposits;

with
asof as (select * from temp.asof),
batches as (
    select batch.day, batch.currency, batch.sale_amount_minor,
        batch.return_amount_minor, batch.transaction_count
    from batch
    where batch.merchant_id = :merchant_id and batch.gone_in is null
),
currencies as (
    select
        day,
        case when count(distinct currency) = 1 and count(*) = count(currency)
            then min(currency) end as currency
    from batches
    group by day
)
select
    deposits.ach_deposit_id,
    deposits.association_date,
    deposits.ach_date,
    coalesce(deposits.payment_date, deposits.day) as payment_date,
    deposits.payment_date is not null as is_dated,
    deposits.net_amount_minor,
    -- Equal parts of a group do not exceed its batches.
    iif(deposits.transactions_by_then > (
        select coalesce(sum(batches.transaction_count), 0) from batches
        where batches.day = deposits.association_date
    ), deposits.twin_of, null) as twin_of,
    -- That of the transactions that it holds; else of the batches of its day
    -- when they agree; else of the one currency whose batches alone agree with
    -- it; else, without batches, the configured.
    coalesce(
        (
            select min(nullif(total.currency, ''))
            from transaction_total as total
            where asof.uses_links
              and total.ach_deposit_id = deposits.ach_deposit_id
              and total.ach_deposit_id <> 0
              and total.day <= asof.business_date
            having count(distinct total.currency) = 1
        ),
        currencies.currency,
        (
            select min(fitting.currency)
            from (
                select batches.currency
                from batches
                where batches.day = deposits.association_date
                group by batches.currency
                having sum(batches.sale_amount_minor) = deposits.sales_minor
                   and sum(batches.return_amount_minor) = deposits.returns_minor
                   and sum(batches.transaction_count) = deposits.transactions
            ) as fitting
            having count(*) = 1
        ),
        iif(currencies.day is null, :currency, null)
    ) as currency
from asof
cross join temp.counted_deposit as deposits
left join currencies on currencies.day = deposits.association_date
where deposits.merchant_id = :merchant_id
  and deposits.day between :first_date and asof.business_date
  and (
      deposits.day < asof.start_date
      or deposits.day in (select business_date from temp.known_days)
  )
order by coalesce(deposits.payment_date, deposits.day), deposits.ach_deposit_id
