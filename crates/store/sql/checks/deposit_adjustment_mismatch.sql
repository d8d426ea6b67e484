-- code: DEPOSIT_ADJUSTMENT_MISMATCH
-- severity: error
-- figure: amount
-- money: more-is-short
-- subject: group
-- names: deposit batch
-- final: waits
-- needs: ach-deposits bank-transfer-payments/returned
-- reopens: group
-- rereads: deposits batch-day
-- confirmed: yes
-- links: yes
-- made_of: batches
-- means: The adjustment of a merchant's deposits differs from the known amounts
--   that adjust it: returned bank transfers, and disputes.
-- explanation: {known}, but its deposits paid so far adjust by {actual}
--   {currency}. {disputes} {booked} {exceeds}
--   {nearest}
-- known no_return: No bank transfer of merchant {merchant_id} for {batch_date}
--   came back
-- known nothing: Nothing is known to adjust the deposits of merchant
--   {merchant_id} for {batch_date}
-- known returns: Bank transfers of merchant {merchant_id} for {batch_date} came
--   back for {expected} {currency}
-- known sum: What is known to adjust the deposits of merchant {merchant_id} for
--   {batch_date} adds up to {expected} {currency}
-- disputes several: Disputes explain the rest in several ways: {choices}.
-- disputes bounded: More disputes could explain the rest than are looked at.
-- disputes blind: The key cannot read disputes: chargebacks and corrections are
--   not visible to it.
-- booked returned: Ledger record {booked_id} of this amount says returned.
-- action: List the returned bank transfers of that day and ask the processor
--   for the other parts of the adjustment.
-- action choose: Ask the processor which of the disputes it moved.
-- action notice: Match the adjustment with the chargeback notice, or ask the
--   processor for its parts.
-- action wait: Ask the processor when it will deduct the returns; until then
--   the merchant holds money that is not its own.
-- action parts: Ask the processor for the parts of the adjustment: no dispute
--   explains it.
-- grain: one group whose figures differ, or cannot be compared.

-- purpose: the known and the stated adjustment of each group, with the
-- explanation of the rest.
-- grain: one group.
create temp view adjustment_figures as
select
    groups.*,
    returned_minor as expected_figure,
    ach_adjustment_minor as actual_figure,
    explained.verdict,
    explained.said,
    explained.problem as explanation_problem,
    coalesce(explained.exceeds, '') as exceeds,
    iif(explained.exceeds = '', explained.nearest, '') as nearest,
    explained.also_near,
    case when returned_problem is not null
        and (not are_returns_unknowable or ach_adjustment_minor <> 0)
        then returned_problem end as figure_problem,
    exists (
        select 1 from temp.configured_terminal as terminal
        where terminal.merchant_id = groups.merchant_id
    ) as has_terminals
from temp.judged_groups as groups
left join temp.group_adjustments as explained
    on explained.merchant_id = groups.merchant_id
    and explained.batch_date = groups.batch_date
    and explained.currency = groups.currency
-- What it may have taken is asked again on every date.
where groups.is_tested
   or (
       explained.verdict is not null
       and explained.problem is null
       and exists (
           select 1 from temp.taking_days as taking
           where taking.merchant_id = groups.merchant_id
             and taking.batch_date = groups.batch_date
       )
   );

-- purpose: a card record of the books with the status returned and exactly this
-- amount.
-- grain: one group.
create temp view booked_returns as
select figures.subject, min(record.ledger_id) as ledger_id
from temp.adjustment_figures as figures
cross join temp.asof as asof
-- A dispute lives for 120 days.
cross join ledger_record as record
    on record.date between date(asof.business_date, '-120 days')
        and asof.business_date
    and record.returned_beside > 0
    and record.merchant_id = figures.merchant_id
    and record.status = 'returned'
    and record.currency = figures.currency
    and record.amount_minor
        = figures.actual_figure - figures.expected_figure
where figures.verdict = 'blind'
  and record.kind = 'payment'
group by figures.subject;

select
    figures.merchant_id,
    figures.subject,
    figures.currency,
    case when figures.problem is null then expected_figure end as expected,
    case when figures.problem is null then actual_figure end as actual,
    figures.batch_date,
    figures.batch_ids as batch_id,
    figures.deposit_ids as ach_deposit_id,
    case
        when expected_figure = 0 then iif(has_terminals, 'no_return', 'nothing')
        else iif(has_terminals, 'returns', 'sum')
    end as known,
    case when verdict in ('several', 'bounded', 'blind') then verdict end
        as disputes,
    said as choices,
    case when booked.ledger_id is not null then 'returned' end as booked,
    booked.ledger_id as booked_id,
    exceeds,
    coalesce(nearest, '') as nearest,
    also_near,
    case when verdict in ('several', 'bounded', 'blind') then 'warning' end
        as severity,
    case
        when verdict in ('several', 'bounded') then 'choose'
        when actual_figure < expected_figure and expected_figure > 0 then 'wait'
        when verdict = 'blind' then 'notice'
        when not has_terminals then 'parts'
    end as action,
    case
        when figures.problem is not null then figures.problem
        when figure_problem is not null then figure_problem
        when expected_figure is null or actual_figure is null
            then json_array('group_leaves_out', figures.merchant_id,
                figures.batch_date, 'adjustment')
        when actual_figure <> expected_figure
            then coalesce(unassigned, unclaimed, explanation_problem)
    end as problem
from temp.adjustment_figures as figures
left join temp.booked_returns as booked
    on booked.subject = figures.subject
where verdict is not 'explained'
  and (
      figures.problem is not null
      or figure_problem is not null
      or expected_figure is null
      or actual_figure is null
      or (
          actual_figure > expected_figure
          and not exists (
              select 1 from temp.undated_groups as undated
              where undated.merchant_id = figures.merchant_id
                and undated.batch_date = figures.batch_date
                and undated.currency = figures.currency
          )
      )
      -- A shortfall is in transit until the due date, and while a later deposit
      -- can deduct the returns.
      or (
          actual_figure < expected_figure
          and is_due
          and not exists (
              select 1 from temp.waiting_returns as waiting
              where waiting.merchant_id = figures.merchant_id
                and waiting.group_date = figures.group_date
                and waiting.currency = figures.currency
          )
      )
  )
order by figures.subject
