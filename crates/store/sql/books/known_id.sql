-- purpose: the records of a merchant that carry an id.
-- grain: one authorization or bank transfer, or return; ?1 the id, ?2 the same
-- as a number, or null.
select 'card' as what, item.merchant_id, item.day, '' as kind
from owned_authorization as item
where item.authorization_id = ?2
union all
select 'card' as what, item.merchant_id, item.day, '' as kind
from owned_authorization as item
where item.transaction_id = ?2
union all
select
    case
        when transfer.kind = 'payment'
            and exists (
                select 1 from transfer_return as returned
                where returned.payment_id = transfer.transfer_id
            )
            then 'returned transfer'
        else 'transfer'
    end as what,
    terminal.merchant_id,
    '' as day,
    transfer.kind
from bank_transfer as transfer
left join temp.configured_terminal as terminal
    on terminal.terminal_id = transfer.terminal_id
where transfer.transfer_id = ?1
union all
select
    'return' as what,
    terminal.merchant_id,
    returned.return_date as day,
    '' as kind
from transfer_return as returned
inner join bank_transfer as transfer
    on transfer.kind = 'payment' and transfer.transfer_id = returned.payment_id
left join temp.configured_terminal as terminal
    on terminal.terminal_id = transfer.terminal_id
where returned.return_id = ?1
