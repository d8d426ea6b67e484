-- code: DEPOSIT_ADJUSTMENT_MISMATCH
-- severity: error
-- figure: amount
-- subject: group
-- names: deposit batch
-- final: waits
-- needs: ach-deposits bank-transfer-payments/returned
-- reopens: group
-- rereads: deposits batch-day
-- confirmed: yes
-- links: yes
-- made_of: batches
-- means: The adjustment of a merchant's deposits differs from the bank transfers that came back on the batch date.
-- explanation: {known} {expected} {currency}, but its deposits paid so far adjust by {actual} {currency}.
-- action: List the returned bank transfers of that day and ask the processor what else the adjustment is made of.
-- grain: one group whose figures differ, or cannot be compared.
with figures as (
    select
        groups.*,
        returned_minor as expected_figure,
        ach_adjustment_minor as actual_figure,
        case when returned_problem is not null
            and (not are_returns_unknowable or ach_adjustment_minor <> 0)
            then returned_problem end as figure_problem,
        exists (
            select 1 from temp.configured_terminal as terminal
            where terminal.merchant_id = groups.merchant_id
        ) as has_terminals
    from temp.judged_groups as groups
),
-- Payments that had come back and do not say when: one, or all, may explain what is left.
undated as (
    select terminal.merchant_id, payment.currency, payment.amount_minor
    from temp.undated_returns as undated
    cross join bank_transfer as payment on payment.transfer_number = undated.transfer_number
    inner join temp.configured_terminal as terminal
        on terminal.terminal_id = payment.terminal_id
    where payment.kind = 'payment'
)
select
    merchant_id,
    subject,
    currency,
    case when problem is null then expected_figure end as expected,
    case when problem is null then actual_figure end as actual,
    batch_date,
    batch_ids as batch_id,
    deposit_ids as ach_deposit_id,
    whose,
    case when has_terminals then 'Bank transfers ' || whose || ' came back for'
        else 'What is known to adjust the deposits ' || whose || ' adds up to' end as known,
    case
        when actual_figure < expected_figure
            then 'Ask the processor when it will deduct what came back; until then the merchant '
                || 'holds money that is not its own.'
        when not has_terminals
            then 'Ask the processor what the adjustment is made of: chargebacks and corrections '
                || 'may not be visible to the key.'
    end as action,
    case
        when problem is not null then problem
        when figure_problem is not null then figure_problem
        when expected_figure is null or actual_figure is null
            then 'a batch or deposit ' || whose || ' leaves its adjustment out'
        when actual_figure <> expected_figure
            then coalesce(unassigned, unclaimed)
    end as problem
from figures
where problem is not null
   or figure_problem is not null
   or expected_figure is null
   or actual_figure is null
   or (
       actual_figure > expected_figure
       and actual_figure - expected_figure not in (
           select undated.amount_minor from undated
           where undated.merchant_id = figures.merchant_id
             and undated.currency = figures.currency
             and undated.amount_minor is not null
       )
       and actual_figure - expected_figure is not (
           select sum(undated.amount_minor) from undated
           where undated.merchant_id = figures.merchant_id
             and undated.currency = figures.currency
       )
   )
   -- What falls short is in transit until the due date.
   or (actual_figure < expected_figure and is_due)
order by subject
