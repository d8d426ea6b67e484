-- code: ITEM_WITHOUT_BATCH
-- severity: error
-- figure: amount
-- money: more-is-short
-- subject: item
-- names: batch
-- final: waits
-- needs: batches authorizations bank-transfer-payments/settled
--   bank-transfer-refunds/settled bank-transfer-payments/returned
-- rereads: batch-day
-- means: An item belongs to no batch: a card transaction names a batch that is
--   not listed, or none, or bank transfers settled on a day without a batch.
-- explanation: {named} of {actual} {currency} on {batch_date} {reason}.
-- named capture: Capture {transaction_id}
-- named return: Return {transaction_id}
-- named capture_of: Capture of authorization {authorization_id}
-- named return_of: Return of authorization {authorization_id}
-- named payment: Payment {payment_id}
-- named refund: Refund {refund_id}
-- reason none: names no batch
-- reason unlisted: names batch {batch_id}, which is not listed
-- reason settled: settled, but merchant {merchant_id} has no batch on that day
-- action: Ask the processor which batch the item was submitted in; until then
--   it is in no deposit.
-- grain: one item without a batch, or one that might be.

-- purpose: the card transactions without a batch, or that might be.
-- grain: one card transaction.
create temp view loose_items as
with
-- The few batches that items name and no listing holds.
unlisted as (
    select distinct cards.day, cards.batch_id, cards.currency
    from temp.judged_days as judged
    cross join temp.cards as cards on cards.day = judged.day
    where not exists (
          select 1 from batch
          where batch.batch_id = cards.batch_id
            and batch.gone_in is null
            and (cards.currency is null or batch.currency is null
                or batch.currency = cards.currency)
      )
)
select item.*
from unlisted
cross join owned_authorization as item
    on item.day = unlisted.day
    and item.batch_id is unlisted.batch_id
    and item.currency is unlisted.currency
union all
select item.*
from owned_authorization as item
where item.authorization_id in (
        select cast(authorization_id as integer)
        from temp.carried
        where code = 'ITEM_WITHOUT_BATCH' and authorization_id <> ''
    )
  and item.day not in (select day from temp.judged_days);

-- purpose: the card transactions among them that no batch holds.
-- grain: one card transaction.
create temp view loose_cards as
select
    item.merchant_id,
    'authorization/' || item.authorization_id || case
        -- The subject of its first transaction is the authorization alone.
        when exists (
            select 1 from authorization as part
            where part.authorization_id = item.authorization_id
              and part.transaction_key < item.transaction_key
              and part.has_transaction
        ) then '/' || item.transaction_key
        else ''
    end as subject,
    item.currency,
    case when item.transaction_type = 'return'
        then abs(item.amount_minor) else item.amount_minor end as actual,
    item.day as batch_date,
    coalesce(cast(item.batch_id as text), '') as batch_id,
    cast(item.authorization_id as text) as authorization_id,
    coalesce(cast(item.transaction_id as text), '') as transaction_id,
    '' as payment_id,
    '' as refund_id,
    '' as order_id,
    iif(item.transaction_type = 'capture',
        iif(item.transaction_id is null, 'capture_of', 'capture'),
        iif(item.transaction_id is null, 'return_of', 'return')) as named,
    iif(item.batch_id is null, 'none', 'unlisted') as reason,
    case
        when not exists (
            select 1 from temp.complete_listing as listing
            where listing.resource = 'batches'
              and listing.selector = 'date'
              and listing.business_date = item.day
        ) then json_array('batches_unread', item.day)
        when item.transaction_type is null
            or item.transaction_type not in ('capture', 'return')
            then json_array(
                'authorization_of_unknown_type', item.authorization_id
            )
        when item.amount_minor is null
            then json_array(
                'authorization_without_amount', item.authorization_id
            )
    end as problem
from temp.loose_items as item
where item.gone_in is null
  and item.has_transaction
  and (item.authorization_id, item.transaction_key) not in
      (select extra_id, transaction_id from temp.extra_authorizations)
  and not exists (
      select 1 from batch
      where batch.batch_id = item.batch_id
        and batch.gone_in is null
        and (item.currency is null or batch.currency is null
            or batch.currency = item.currency)
  );

-- purpose: the bank transfers that settled on a day without a batch.
-- grain: one bank transfer.
create temp view loose_transfers as
with
transfers as (
    select transfer.*
    from temp.transfers as transfer
    where transfer.settled_day in (select day from temp.judged_days)
       -- A transfer that appears after its date was reconciled.
       or transfer.transfer_number in
           (select transfer_number from temp.late_settled)
       or (transfer.kind, transfer.transfer_id) in (
           select case when payment_id <> '' then 'payment' else 'refund' end,
               payment_id || refund_id
           from temp.carried where code = 'ITEM_WITHOUT_BATCH'
       )
)
select
    transfer.merchant_id,
    transfer.kind || '/' || transfer.transfer_id as subject,
    transfer.currency,
    transfer.amount_minor as actual,
    transfer.settled_day as batch_date,
    '' as batch_id,
    '' as authorization_id,
    '' as transaction_id,
    case transfer.kind when 'payment' then transfer.transfer_id else '' end
        as payment_id,
    case transfer.kind when 'refund' then transfer.transfer_id else '' end
        as refund_id,
    coalesce(transfer.order_id, '') as order_id,
    transfer.kind as named,
    'settled' as reason,
    case
        when not exists (
            select 1 from temp.complete_listing as listing
            where listing.resource = 'batches'
              and listing.selector = 'date'
              and listing.business_date = transfer.settled_day
        ) then json_array('batches_unread', transfer.settled_day)
        when transfer.amount_minor is null
            then json_array('transfer_has_no_amount', transfer.kind,
                transfer.transfer_id)
        else (
            select nameless.problem || json_array('may_hold_transfer')
            from temp.nameless_batches as nameless
            where nameless.day = transfer.settled_day
        )
    end as problem
from transfers as transfer
where transfer.settled_day is not null
  and not transfer.is_return
  and transfer.transfer_type <> 'accountVerification'
  and not exists (
      select 1 from batch
      where batch.merchant_id = transfer.merchant_id
        and batch.day = transfer.settled_day
        and batch.gone_in is null
        and (transfer.currency is null or batch.currency is null
            or batch.currency = transfer.currency)
  );

select loose.*, 0 as expected
from (
    select * from temp.loose_cards
    union all
    select * from temp.loose_transfers
) as loose
inner join temp.merchants as merchants
    on merchants.merchant_id = loose.merchant_id and merchants.is_checked
-- A merchant that no listing names gets one finding for all.
where loose.merchant_id not in (select merchant_id from temp.unlisted_merchants)
order by loose.subject
