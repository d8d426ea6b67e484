-- purpose: the deposits of a merchant with a bank that its statements must show, as of D. Those
-- of the days before the start date are known in part and never missed; they explain lines.
-- grain: one deposit.
-- parameters: :merchant_id; :first_date, the earliest payment date to look at.
with
asof as (select * from temp.asof),
currencies as (
    select
        batch.day,
        case when count(distinct batch.currency) = 1 and count(*) = count(batch.currency)
            then min(batch.currency) end as currency
    from batch
    where batch.merchant_id = :merchant_id and batch.gone_in is null
    group by batch.day
)
select
    deposit.ach_deposit_id,
    deposit.association_date,
    deposit.ach_date,
    deposit.payment_date,
    deposit.net_amount_minor,
    -- That of the batches of its day when they agree; else, without batches, the configured.
    case
        when currencies.day is not null then currencies.currency
        else merchants.currency
    end as currency
from asof
inner join temp.merchants as merchants on merchants.merchant_id = :merchant_id
cross join deposit on deposit.merchant_id = :merchant_id
left join currencies on currencies.day = deposit.association_date
where deposit.gone_in is null
  and deposit.payment_date is not null
  and deposit.day between :first_date and asof.business_date
  and (
      deposit.day < asof.start_date
      or deposit.day in (select business_date from temp.known_days)
  )
order by deposit.payment_date, deposit.ach_deposit_id
