-- purpose: ACH debits that came back in a window, for the return rates of a
-- period.
-- grain: one terminal, return date and code; ?1 first day, ?2 last day.
select
    transfer.terminal_id,
    returned.return_date as day,
    returned.code,
    max(coalesce(returned.reason, '')) as reason,
    count(*) as returned,
    case when count(*) = count(transfer.amount_minor)
        then sum(transfer.amount_minor) end as amount_minor
from transfer_return as returned
cross join bank_transfer as transfer
    on transfer.kind = 'payment' and transfer.transfer_id = returned.payment_id
where returned.return_date between ?1 and ?2
  and returned.effect = 1
  and transfer.transfer_type = 'payment'
  and transfer.currency = 'USD'
group by transfer.terminal_id, returned.return_date, returned.code
order by transfer.terminal_id, returned.return_date, returned.code
