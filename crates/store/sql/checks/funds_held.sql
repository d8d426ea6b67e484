-- code: FUNDS_HELD
-- severity: info
-- figure: amount
-- subject: deposit
-- names: deposit
-- needs: ach-deposits
-- carried: no
-- means: The processor kept part of a deposit back: held sales or a reserve.
-- explanation: Deposit {ach_deposit_id} keeps {actual} {currency} back:
--   {held_minor} {currency} of sales held and {holdback_minor} {currency} put
--   into the reserve.
-- action: Book the amount as receivable from the processor and watch for its
--   release.
-- grain: one deposit paid on the date that holds something back, or might.
select
    deposits.merchant_id,
    cast(deposits.ach_deposit_id as text) as subject,
    deposits.currency,
    0 as expected,
    deposits.held_sales_minor + deposits.holdback_minor as actual,
    deposits.association_date as batch_date,
    deposits.ach_deposit_id,
    deposits.held_sales_minor as held_minor,
    deposits.holdback_minor as holdback_minor,
    case
        when deposits.held_sales_minor is null
            or deposits.holdback_minor is null
            then json_array('deposit_without_holds', deposits.ach_deposit_id)
    end as problem
from temp.judged_deposits as deposits
where deposits.is_checked
  and deposits.is_paid_today
  and (deposits.held_sales_minor is not 0 or deposits.holdback_minor is not 0)
order by deposits.ach_deposit_id
