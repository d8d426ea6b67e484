-- purpose: the disputed card transactions, with what their disputes may have
-- taken from the merchant.
-- grain: one dispute.
select
    disputes.merchant_id,
    disputes.transaction_id,
    disputes.first_date,
    disputes.verdict = 'lost' as is_lost,
    -- An undecided one may be debited in a deposit that is sent in the ten
    -- banking days after its first status, and paid two later; after that it
    -- was if the adjustment of a deposit held it, or may have been while a
    -- group of the merchant is unexplained.
    disputes.verdict = 'lost' or (
        disputes.verdict <> 'won'
        and (
            not disputes.is_read
            or due(disputes.first_date, 12, disputes.calendar)
                >= asof.business_date
            or exists (
                select 1 from temp.carried as carried
                where carried.code in (
                        select code from temp.reopened_by where what = 'group'
                    )
                  and carried.merchant_id = disputes.merchant_id
            )
            or exists (
                select 1 from business_day as judged
                cross join dispute_result as result
                    on result.business_date = judged.business_date
                    and result.dispute_id = disputes.dispute_id
                where judged.business_date
                        between disputes.first_date
                        and date(disputes.first_date, '+40 days')
                  and judged.business_date < asof.business_date
                  and result.ach_deposit_id <> ''
            )
        )
    ) as may_be_debited,
    case when disputes.currency is not null
        then disputes.amount_minor end as amount_minor
from temp.asof as asof
cross join temp.disputes as disputes
where disputes.transaction_id is not null
