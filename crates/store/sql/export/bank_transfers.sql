-- purpose: the bank transfers that ran on a date, as they were read last. One
-- that states no time is in settled_transfers alone.
-- grain: one bank transfer; ?1 the local run date.
-- column kind text: payment or refund
-- column transfer_id text: the API's id
-- column merchant_id text: whose terminal it ran on
-- column terminal_id text: the processing terminal
-- column order_id text: the merchant's own id, card numbers masked
-- column currency text: its currency
-- column currency_exponent exponent: decimals of the currency
-- column amount_minor money: its amount; of a refund as well above zero
-- column transfer_type text: payment, refund, accountVerification, …
-- column status text: the processor's word, when it was read last
-- column payment_id text: of a refund, the payment that it names
-- column representment_id text: of a payment, the one that presents it again
-- column came_back_on date: since when it is returned, if it states no return
select
    transfer.kind,
    transfer.transfer_id,
    terminal.merchant_id,
    transfer.terminal_id,
    transfer.order_id,
    transfer.currency,
    transfer.currency as currency_exponent,
    transfer.amount_minor,
    transfer.transfer_type,
    transfer.status,
    transfer.payment_id,
    transfer.representment_id,
    case when transfer.status = 'returned' then undated.came_back_on end
        as came_back_on
from temp.configured_terminal as terminal
cross join temp.merchants as merchant
    on merchant.merchant_id = terminal.merchant_id
cross join bank_transfer as transfer
    on transfer.terminal_id = terminal.terminal_id
left join undated_return as undated
    on undated.transfer_number = transfer.transfer_number
-- A day wider on both sides: the run date is a local one.
where transfer.run_at >= date(?1, '-1 day')
  and transfer.run_at < date(?1, '+2 days')
  and local_date(transfer.run_at, merchant.time_zone) = ?1
order by terminal.merchant_id, transfer.kind, transfer.transfer_id
