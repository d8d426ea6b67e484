-- purpose: the deposits that count in the unexplained amount of a group which
-- is paid on D, but that no check of D looks at, and whose own amounts or fees
-- differ: no discrepancy causes them to be read again, yet the difference
-- shows. The fees may not have been read at all, where links that were read
-- again lead to a deposit.
-- grain: one deposit.
select members.ach_deposit_id
from temp.group_days as days
inner join temp.group_deposits as members
    on members.merchant_id = days.merchant_id
        and members.group_date = days.group_date
cross join deposit on deposit.ach_deposit_id = members.ach_deposit_id
inner join temp.deposit_net as net
    on net.ach_deposit_id = members.ach_deposit_id
where days.is_paid_today
  and days.batch_date = days.group_date
  and members.ach_deposit_id not in (select ach_deposit_id
      from temp.judged_deposits)
  and (
      deposit.net_amount_minor <> net.net_expected_minor
      or deposit.daily_fees_minor is not (
          select coalesce(sum(fee.amount_minor), 0)
          from temp.complete_listing as listing
          left join fee
              on fee.listing_id = listing.listing_id
                  and fee.reading = listing.reading_id
          where listing.resource = 'ach-deposit-fees'
            and listing.selector = 'deposit'
            and listing.business_date = ''
            and listing.scope = cast(deposit.ach_deposit_id as text)
          group by listing.listing_id
          having count(fee.ordinal) = count(fee.amount_minor)
      )
  )
order by members.ach_deposit_id
