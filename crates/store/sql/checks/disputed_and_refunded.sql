-- code: DISPUTED_AND_REFUNDED
-- severity: error
-- figure: amount
-- money: unclear
-- subject: dispute
-- names: nothing
-- needs: nothing
-- means: A sale was given back to the cardholder although it is disputed: the
--   customer may be paid twice.
-- explanation: Sale {transaction_id} of {expected} {currency} is disputed
--   ({dispute_id}, {status}), and {returned_minor} {currency} of it was
--   returned to {how}.
-- how own: the card under its own authorization
-- how same_card: the same card on {returned_day}
-- action: Send the proof of the return with the answer to the dispute; the
--   processor must not take the amount as well.
-- action find_out: Find out whether the return was for this sale. If it was,
--   send its proof with the answer to the dispute; if it was for another,
--   accept the discrepancy.
-- grain: one dispute that is not won, of a sale that was also returned.

-- purpose: the disputes that were not won, with the sale of each.
-- grain: one dispute.
create temp view disputed_sales as
select
    disputes.dispute_id,
    disputes.merchant_id,
    disputes.status,
    sale.authorization_id,
    sale.transaction_id,
    sale.day,
    sale.currency,
    sale.card_last4,
    sale.amount_minor
from temp.disputes as disputes
cross join temp.asof
cross join authorization as sale
    on sale.transaction_id = disputes.transaction_id
where disputes.is_checked
  and disputes.verdict not in ('won', 'partly')
  and sale.merchant_id = disputes.merchant_id
  and sale.transaction_type = 'capture'
  and sale.gone_in is null
  and sale.day <= asof.business_date;

-- purpose: those of which the sale was returned under its own authorization.
-- grain: one dispute.
create temp view returned_disputed as
select disputed.*, sum(returned.amount_minor) as returned_minor
from temp.disputed_sales as disputed
cross join temp.asof
cross join authorization as returned
    on returned.authorization_id = disputed.authorization_id
where returned.transaction_type = 'return'
  and returned.has_transaction
  and returned.gone_in is null
  and returned.day <= asof.business_date
group by disputed.dispute_id;

-- purpose: a return to the card under another authorization.
-- grain: one dispute.
create temp view card_returned as
select
    disputed.*,
    min(returned.day) as returned_day,
    sum(returned.amount_minor) as returned_minor
from temp.disputed_sales as disputed
cross join temp.asof
cross join authorization as returned
    on returned.merchant_id = disputed.merchant_id
    and returned.card_last4 = disputed.card_last4
    and returned.amount_minor = disputed.amount_minor
    and returned.transaction_type = 'return'
where disputed.dispute_id not in
        (select dispute_id from temp.returned_disputed as same_authorization)
  and returned.has_transaction
  and returned.gone_in is null
  and returned.authorization_id <> disputed.authorization_id
  and returned.currency is disputed.currency
  and returned.day >= date(disputed.day, '-60 days')
  and returned.day <= date(disputed.day, '+120 days')
  and returned.day <= asof.business_date
group by disputed.dispute_id
-- With several returns, it may be for another sale.
having count(*) = 1
   and min(returned.day) between disputed.day
       and date(disputed.day, '+60 days');

-- purpose: the only such sale within 60 days of either, with every day read.
-- grain: one dispute.
create temp view only_sales as
select same_card.*
from temp.card_returned as same_card
cross join temp.asof
where (
    select count(*)
    from batch
    cross join authorization as other
        on other.day = batch.day and other.batch_id = batch.batch_id
    where batch.merchant_id = same_card.merchant_id
      and batch.day between date(same_card.day, '-60 days')
          and date(same_card.returned_day, '+60 days')
      and batch.day <= asof.business_date
      and batch.gone_in is null
      and other.gone_in is null
      and other.transaction_type = 'capture'
      and other.card_last4 = same_card.card_last4
      and other.amount_minor = same_card.amount_minor
) = 1
  and not exists (
      select 1 from temp.known_days as known
      where known.business_date
              >= date(same_card.day, '-60 days')
        and known.business_date
              <= date(same_card.returned_day, '+60 days')
        and not exists (
            select 1 from temp.complete_listing as listing
            where listing.resource = 'authorizations'
              and listing.selector = 'date'
              and listing.business_date = known.business_date
        )
  );

select
    merchant_id,
    cast(dispute_id as text) as subject,
    currency,
    amount_minor as expected,
    amount_minor + returned_minor as actual,
    day as batch_date,
    dispute_id,
    authorization_id,
    transaction_id,
    status,
    returned_minor,
    null as returned_day,
    'own' as how,
    null as severity,
    null as action
from temp.returned_disputed as same_authorization
union all
select
    merchant_id,
    cast(dispute_id as text),
    currency,
    amount_minor,
    amount_minor + returned_minor,
    day,
    dispute_id,
    authorization_id,
    transaction_id,
    status,
    returned_minor,
    returned_day,
    'same_card',
    'warning',
    'find_out'
from temp.only_sales as only_sale
order by 2
