-- purpose: the transactions of several authorizations, on any day: an id that
-- comes twice. By the index alone.
-- grain: one authorization.
-- parameters: 1 the first transaction id, 2 the last.
select item.transaction_id
from authorization as item
where item.transaction_id between ?1 and ?2
order by item.transaction_id
