-- code: TERMINALS_NOT_NAMED
-- severity: warning
-- figure: none
-- subject: merchant
-- names: nothing
-- needs: nothing
-- means: A merchant is configured without the key terminals, so that what bank transfers could explain is not evaluated.
-- explanation: Merchant {merchant_id} is configured without the key terminals: {what} cannot be evaluated.
-- action: Name the merchant's processing terminals in the configuration, or say terminals = [] when it takes no bank transfers.
-- grain: one merchant without the key, of which something is not evaluated.
with
unexplained as (
    select
        batches.merchant_id,
        1 as place,
        'the totals of its batches of ' || batches.batch_date as what
    from temp.batch_comparisons as batches
    where batches.may_have_transfers
      and batches.is_checked
      and (
          batches.header_sales_minor > batches.items_sales_minor
          or batches.header_returns_minor > batches.items_returns_minor
          or batches.header_count > batches.items
      )
    union all
    select
        groups.merchant_id,
        2,
        'the adjustment of its deposits for ' || groups.batch_date
    from temp.judged_groups as groups
    where groups.are_returns_unknowable and groups.ach_adjustment_minor <> 0
    union all
    -- It stays open until the key is there.
    select carried.merchant_id, 3, 'what bank transfers could explain'
    from temp.carried as carried
    where carried.code = 'TERMINALS_NOT_NAMED'
)
select
    merchants.merchant_id,
    merchants.merchant_id as subject,
    substr(min(unexplained.place || unexplained.what), 2) as what
from temp.configured_merchant as configured
inner join temp.merchants as merchants
    on merchants.merchant_id = configured.merchant_id and merchants.is_checked
inner join unexplained on unexplained.merchant_id = merchants.merchant_id
where not configured.names_terminals
group by merchants.merchant_id
order by merchants.merchant_id
