-- purpose: batches whose header differs from their items in count.
-- grain: one business date and batch, or merchant-day as a whole.
select
    merchant.business_date,
    'BATCH_COUNT_MISMATCH' as code,
    figures.merchant_id,
    case
        when figures.batches = 1 then cast(figures.batch_id as string)
        else concat(
            figures.merchant_id, '/', figures.currency, '/',
            cast(figures.business_date as string)
        )
    end as subject,
    figures.currency,
    cast(figures.items as bigint) as expected,
    cast(figures.header_items as bigint) as actual
from {{ ref('checked_merchants') }} as merchant
inner join {{ ref('batch_figures') }} as figures
    on figures.merchant_id = merchant.merchant_id
    and figures.business_date
        between merchant.start_date and merchant.business_date
where figures.items <> figures.header_items
    -- More in the header may be bank transfers that nobody asked for.
    and (merchant.names_terminals or figures.items > figures.header_items)
