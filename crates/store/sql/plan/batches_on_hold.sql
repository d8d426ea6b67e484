-- purpose: batches of days before :before with card transactions that no
-- deposit holds and that may still be paid: they are read again.
-- grain: one batch; :first and :before bound the days.
select distinct card.batch_id
from card_transaction as card
where card.day >= :first
  and card.day < :before
  and card.ach_deposit_id is null
  and card.status is not null
  and card.gone_in is null
  and card.batch_id is not null
  and card.status not in ('pull', 'paidByThirdParty')
  and lower(trim(coalesce(card.settled_by, ''))) <> '3rd party'
order by card.batch_id
