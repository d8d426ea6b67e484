-- code: REFUND_WITHOUT_PAYMENT
-- severity: warning
-- figure: amount
-- money: more-is-short
-- subject: refund
-- names: refund
-- needs: bank-transfer-refunds/run bank-transfer-refunds/settled
-- means: A refund names a payment that the API does not know.
-- explanation: Refund {refund_id} of {actual} {currency} names payment
--   {payment_id}, which the API does not know.
-- action: Find the payment and the customer of the refund before it settles.
-- grain: one refund whose payment is not known, or could not be looked up.
with
scope as (
    select transfer.*
    from temp.transfers as transfer
    where transfer.kind = 'refund'
      and transfer.payment_id is not null
      and (
          transfer.run_date in (select day from temp.judged_days)
          or transfer.settled_day in (select day from temp.judged_days)
          or transfer.transfer_id in (
              select subject from temp.carried
                  where code = 'REFUND_WITHOUT_PAYMENT'
          )
      )
),
probed as (
    select
        scope.*,
        (
            select probe.records from temp.complete_listing as probe
            where probe.resource = 'bank-transfer-payments'
              and probe.selector = 'id'
              and probe.business_date = ''
              and probe.scope = scope.payment_id
        ) as probed_records
    from scope
)
select
    probed.merchant_id,
    probed.transfer_id as subject,
    probed.currency,
    0 as expected,
    probed.amount_minor as actual,
    probed.told_day as batch_date,
    probed.payment_id,
    probed.transfer_id as refund_id,
    probed.order_id,
    case
        when probed.probed_records is null
            then json_array(
                'payment_not_found', probed.payment_id, probed.transfer_id
            )
        when probed.amount_minor is null or probed.currency is null
            then json_array(
                'transfer_without_amount', 'refund', probed.transfer_id
            )
    end as problem
from probed
where coalesce(probed.probed_records, 0) = 0
  and not exists (
      select 1 from bank_transfer as payment
      where payment.kind = 'payment'
        and payment.transfer_id = probed.payment_id
        and not exists (
            select 1 from transfer_lookup as lookup
            where lookup.transfer_id = payment.transfer_id
              and lookup.kind = 'payment'
              and lookup.reading_id > payment.reading
        )
  )
order by probed.transfer_id
