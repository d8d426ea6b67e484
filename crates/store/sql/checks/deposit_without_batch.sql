-- code: DEPOSIT_WITHOUT_BATCH
-- severity: error
-- figure: amount
-- subject: deposit
-- names: deposit
-- final: waits
-- needs: ach-deposits
-- reopens: group deposit
-- rereads: deposits batch-day
-- links: yes
-- made_of: batches
-- means: A deposit pays for a day on which the merchant has no batch.
-- explanation: Deposit {ach_deposit_id} pays sales less returns of {actual}
--   {currency} for {batch_date}, but merchant {merchant_id} has no batch on
--   that date. {hint}
-- action: Ask the processor which transactions the deposit pays for; do not
--   book it as sales until then.
-- grain: one deposit that pays something for a day without a batch, or might.
with judged as (
    select
        deposits.*,
        exists (
            select 1 from batch
            where batch.merchant_id = deposits.merchant_id
              and batch.day = deposits.association_date
              and batch.gone_in is null
        ) or exists (
            select 1 from temp.groups as groups
            where groups.merchant_id = deposits.merchant_id
              and groups.batch_date = deposits.group_date
              and groups.batches > 0
        ) as has_batch
    from temp.judged_deposits as deposits
    where deposits.is_checked
)
select
    judged.merchant_id,
    cast(judged.ach_deposit_id as text) as subject,
    judged.currency,
    0 as expected,
    judged.sales_minor - judged.returns_minor as actual,
    judged.association_date as batch_date,
    judged.ach_deposit_id,
    coalesce((
        select hints.hint from temp.run_hints as hints
        where hints.merchant_id = judged.merchant_id
          and hints.day = judged.association_date
    ), '') as hint,
    case
        when judged.association_date is null
            then json_array('deposit_undated', judged.ach_deposit_id)
        when not judged.are_batches_read
            then json_array('batches_unread', judged.association_date)
        when judged.sales_minor is null
            or judged.returns_minor is null
            or judged.transactions is null
            then json_array('deposit_without_figures', judged.ach_deposit_id)
        else (
            select nameless.problem || json_array('may_be_paid')
            from temp.nameless_batches as nameless
            where nameless.day = judged.association_date
        )
    end as problem
from judged
where judged.association_date is null
   or (not judged.has_batch and (
       not judged.are_batches_read
       or judged.sales_minor is not 0
       or judged.returns_minor is not 0
       or judged.transactions is not 0
   ))
order by judged.ach_deposit_id
