-- code: DEPOSIT_FEES_MISMATCH
-- severity: warning
-- figure: amount
-- money: more-is-short
-- subject: deposit
-- names: deposit
-- final: waits
-- needs: ach-deposits
-- reopens: group deposit
-- rereads: deposits fees
-- confirmed: yes
-- made_of: batches
-- means: The fee lines that name a deposit, or those of the month before that
--   name none, do not add up to the fees that it deducted.
-- explanation: Deposit {ach_deposit_id} deducted fees of {actual} {currency},
--   but {fees} add up to {expected} {currency}.
-- fees named: the fees that name it
-- fees of_month: the fees of the month before, which name no deposit,
-- action: Compare the fee lines with the fee schedule; ask the processor for
--   the line that is missing or charged twice.
-- grain: one deposit whose fees differ, or cannot be compared.
select
    deposits.merchant_id,
    cast(deposits.ach_deposit_id as text) as subject,
    deposits.currency,
    deposits.fees_total_minor as expected,
    deposits.daily_fees_minor as actual,
    deposits.association_date as batch_date,
    deposits.ach_deposit_id,
    iif(deposits.is_billed_by_month, 'of_month', 'named') as fees,
    case
        when not deposits.are_fees_read
            then json_array('fees_unread', deposits.ach_deposit_id)
        when deposits.daily_fees_minor is null
            then json_array('deposit_without_fees', deposits.ach_deposit_id)
        when deposits.fees_total_minor is null
            then json_array('fee_without_amount', deposits.ach_deposit_id)
    end as problem
from temp.judged_deposits as deposits
where deposits.is_checked
  and (
      not deposits.are_fees_read
      or deposits.daily_fees_minor is null
      or deposits.fees_total_minor is null
      or deposits.daily_fees_minor <> deposits.fees_total_minor
  )
order by deposits.ach_deposit_id
