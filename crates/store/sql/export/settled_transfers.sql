-- purpose: the bank transfers that the settled listings of a date hold.
-- grain: one bank transfer in the settled listing of a terminal; ?1 the
-- settlement date.
-- column kind text: payment or refund
-- column transfer_id text: the API's id
-- column merchant_id text: whose terminal it is
-- column terminal_id text: the terminal whose listing holds it
-- column run_date date: when it ran, in the merchant's time zone
-- column currency text: its currency
-- column currency_exponent exponent: decimals of the currency
-- column amount_minor money: its amount; of a refund as well above zero
-- column transfer_type text: payment, refund, accountVerification, …
-- column status text: the processor's word, when it was read last
select
    transfer.kind,
    transfer.transfer_id,
    terminal.merchant_id,
    listing.scope as terminal_id,
    local_date(transfer.run_at, merchant.time_zone) as run_date,
    transfer.currency,
    transfer.currency as currency_exponent,
    transfer.amount_minor,
    transfer.transfer_type,
    transfer.status
from listing
cross join transfer_listed as listed
    on listed.listing_id = listing.listing_id
        and listed.reading = listing.reading_id
cross join bank_transfer as transfer
    on transfer.transfer_number = listed.transfer_number
left join temp.configured_terminal as terminal
    on terminal.terminal_id = listing.scope
left join temp.merchants as merchant
    on merchant.merchant_id = terminal.merchant_id
where listing.resource in ('bank-transfer-payments', 'bank-transfer-refunds')
  and listing.selector = 'settled'
  and listing.business_date = ?1
order by terminal.merchant_id, transfer.kind, transfer.transfer_id,
    listing.scope
