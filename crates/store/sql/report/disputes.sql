-- purpose: the rows of disputes.csv.
-- grain: one dispute that was submitted or changed on D, or is open.
select
    disputes.dispute_id,
    disputes.merchant_id,
    disputes.merchant_name,
    disputes.currency,
    coalesce(disputes.dispute_type, '') as dispute_type,
    coalesce(disputes.status, '') as status,
    disputes.status_date,
    disputes.received_date,
    case when disputes.verdict = 'waits'
        then due(disputes.status_date, asof.dispute_days, disputes.calendar)
    end as due_date,
    disputes.amount_minor,
    disputes.fee_minor,
    disputes.transaction_id,
    (
        select min(sale.authorization_id) from authorization as sale
        where sale.transaction_id = disputes.transaction_id
          and sale.merchant_id = disputes.merchant_id
          and sale.gone_in is null
          and sale.day <= asof.business_date
    ) as authorization_id,
    coalesce((
        select group_concat(explained.deposit_id, ';' order by deposit_id)
        from (
            select distinct members.ach_deposit_id as deposit_id
            from temp.explaining_disputes as parts
            inner join temp.group_deposits as members
                on members.merchant_id = parts.merchant_id
                and members.group_date = parts.batch_date
            where parts.dispute_id = disputes.dispute_id
        ) as explained
    ), '') as ach_deposit_id,
    -- A dispute that was won in part was not lost.
    case disputes.verdict when 'partly' then 'won' else disputes.verdict end
        as verdict
from temp.disputes as disputes
cross join temp.asof as asof
where disputes.verdict in ('waits', 'undecided')
   or disputes.day = asof.business_date
   or exists (
       select 1 from temp.dispute_statuses as known
       where known.dispute_id = disputes.dispute_id
         and known.status_date = asof.business_date
   )
order by disputes.dispute_id
