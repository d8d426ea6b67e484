-- purpose: the merchant-days before the start that a deposit of a date may also
-- pay for: it does not agree with the batches of its own association date, and
-- they lie within the reach of a run.
-- grain: one merchant and day; ?1 date, ?2 the start.
select distinct batch.merchant_id, batch.day
from deposit
cross join batch
    on batch.merchant_id = deposit.merchant_id
    and batch.day between date(deposit.association_date, '-10 days')
        and date(deposit.association_date, '+10 days')
where deposit.day = ?1
  and deposit.gone_in is null
  and batch.day < ?2
  and batch.gone_in is null
  and (
      select sum(paid.sales_minor) || '/' || sum(paid.returns_minor) || '/'
          || sum(paid.transactions)
      from deposit as paid
      where paid.merchant_id = deposit.merchant_id
        and paid.association_date = deposit.association_date
        and paid.day <= ?1
        and paid.gone_in is null
  ) is not (
      select sum(named.sale_amount_minor) || '/'
          || sum(named.return_amount_minor) || '/'
          || sum(named.transaction_count)
      from batch as named
      where named.merchant_id = deposit.merchant_id
        and named.day = deposit.association_date
        and named.gone_in is null
  )
order by batch.merchant_id, batch.day
