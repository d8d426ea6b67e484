-- purpose: the ACH deposits paid on a date, as they were read last.
-- grain: one ACH deposit; ?1 the payment date.
-- column ach_deposit_id integer: the API's id
-- column merchant_id text: the MID
-- column currency text: that of the date's report; empty when it is not known
-- column currency_exponent exponent: decimals of the currency
-- column association_date date: the batch date that it pays for
-- column ach_date date: when it was sent
-- column payment_date date: when the merchant received it
-- column transactions count: how many transactions it states
-- column sales_minor money: sales
-- column returns_minor money: returns
-- column daily_fees_minor money: fees taken out
-- column held_sales_minor money: sales held back
-- column ach_adjustment_minor money: adjustments, such as returned transfers
-- column holdback_minor money: held back as a reserve
-- column reserve_release_minor money: released from the reserve
-- column net_amount_minor money: the paid net amount
select
    deposit.ach_deposit_id,
    deposit.merchant_id,
    result.currency,
    result.currency as currency_exponent,
    deposit.association_date,
    deposit.ach_date,
    deposit.payment_date,
    deposit.transactions,
    deposit.sales_minor,
    deposit.returns_minor,
    deposit.daily_fees_minor,
    deposit.held_sales_minor,
    deposit.ach_adjustment_minor,
    deposit.holdback_minor,
    deposit.reserve_release_minor,
    deposit.net_amount_minor
from deposit
left join deposit_result as result
    on result.business_date = deposit.day
        and result.ach_deposit_id = deposit.ach_deposit_id
where deposit.day = ?1
  and deposit.gone_in is null
order by deposit.merchant_id, deposit.ach_deposit_id
