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
--   {currency}.{hint}
-- action: List the returned bank transfers of that day and ask the processor
--   for the other parts of the adjustment.
-- grain: one group whose figures differ, or cannot be compared.
with figures as (
    select
        groups.*,
        returned_minor as expected_figure,
        ach_adjustment_minor as actual_figure,
        explained.verdict,
        explained.said,
        explained.problem as explanation_problem,
        coalesce(explained.exceeds, '') as exceeds,
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
    -- A later adjustment exceeds a balance that an earlier one took in part.
    where groups.is_tested or explained.exceeds <> ''
),
-- A card record of the books with the status returned and exactly this amount.
booked as (
    select figures.subject, min(record.ledger_id) as ledger_id
    from figures
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
    group by figures.subject
)
select
    figures.merchant_id,
    figures.subject,
    figures.currency,
    case when figures.problem is null then expected_figure end as expected,
    case when figures.problem is null then actual_figure end as actual,
    figures.batch_date,
    figures.batch_ids as batch_id,
    figures.deposit_ids as ach_deposit_id,
    figures.whose,
    case
        when expected_figure = 0 and has_terminals
            then 'No bank transfer ' || whose || ' came back'
        when expected_figure = 0
            then 'Nothing is known to adjust the deposits ' || whose
        when has_terminals
            then 'Bank transfers ' || whose || ' came back for '
                || money(expected_figure, figures.currency)
        else 'What is known to adjust the deposits ' || whose || ' adds up to '
            || money(expected_figure, figures.currency)
    end as known,
    case verdict
        when 'several' then ' Disputes explain the rest in several ways: '
            || said || '.'
        when 'bounded' then ' More disputes could explain the rest than are '
            || 'looked at.'
        when 'blind' then ' The key cannot read disputes: chargebacks and '
            || 'corrections are not visible to it.'
            || coalesce(' Ledger record ' || booked.ledger_id || ' of this '
                || 'amount says returned.', '')
        else ''
    end || exceeds as hint,
    case when verdict in ('several', 'bounded', 'blind') then 'warning' end
        as severity,
    case
        when verdict in ('several', 'bounded')
            then 'Ask the processor which of the disputes it moved.'
        when verdict = 'blind' and actual_figure > expected_figure
            then 'Match the adjustment with the chargeback notice, or ask the '
                || 'processor for its parts.'
        when actual_figure < expected_figure
            then 'Ask the processor when it will deduct the returns; '
                || 'until then the merchant holds money that is not its own.'
        when not has_terminals
            then 'Ask the processor for the parts of the adjustment: no '
                || 'dispute explains it.'
    end as action,
    case
        when figures.problem is not null then figures.problem
        when figure_problem is not null then figure_problem
        when expected_figure is null or actual_figure is null
            then 'a batch or deposit ' || whose || ' leaves its adjustment out'
        when actual_figure <> expected_figure
            then coalesce(unassigned, unclaimed, explanation_problem)
    end as problem
from figures
left join booked on booked.subject = figures.subject
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
