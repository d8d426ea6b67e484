-- purpose: the fees of a merchant that name no deposit, by the month, that a
-- line of a bank may take: those of which no deposit has deducted all.
-- grain: one month; :merchant_id.
select
    monthly.last,
    monthly.first < asof.start_date as is_partial,
    asof.sign_daily_fees * monthly.fees_minor as amount_minor
from temp.monthly_fees as monthly
cross join temp.asof as asof
where monthly.merchant_id = :merchant_id
  and monthly.is_known
  and not monthly.is_deducted
  and monthly.fees_minor <> 0
order by monthly.last
