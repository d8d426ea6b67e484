-- code: DEPOSIT_NET_MISMATCH
-- severity: error
-- figure: amount
-- subject: deposit
-- names: deposit
-- final: waits
-- needs: ach-deposits
-- reopens: group deposit
-- rereads: deposits
-- confirmed: yes
-- nameless: deposit
-- made_of: batches
-- means: The components of a deposit do not add up to the net amount that it
--   states.
-- explanation: Deposit {ach_deposit_id} paid {actual} {currency} net, but its
--   components add up to {expected} {currency}.
-- action: Ask the processor for the cause of the difference; compare the bank
--   line with both amounts.
-- grain: one deposit that does not add up, or cannot be added up.
select
    deposits.merchant_id,
    cast(deposits.ach_deposit_id as text) as subject,
    deposits.currency,
    deposits.net_expected_minor as expected,
    deposits.net_amount_minor as actual,
    deposits.association_date as batch_date,
    deposits.ach_deposit_id,
    case
        when deposits.net_expected_minor is null
            or deposits.net_amount_minor is null
            then json_array('deposit_without_net', deposits.ach_deposit_id)
    end as problem
from temp.judged_deposits as deposits
where deposits.is_checked
  and (
      deposits.net_expected_minor is null
      or deposits.net_amount_minor is null
      or deposits.net_expected_minor <> deposits.net_amount_minor
  )
order by deposits.ach_deposit_id
