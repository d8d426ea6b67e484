-- code: MERCHANT_NOT_LISTED
-- severity: error
-- figure: amount
-- about: setup
-- subject: merchant
-- stands_for: books
-- names: nothing
-- needs: batches ach-deposits
-- means: A configured merchant was never in a listing: nothing of it is
--   checked.
-- explanation: Merchant {merchant_id} ({name}) was in no listing since
--   {since}, of {days} dates read completely: nothing of it can be checked.
-- name unknown: without a name
-- action: Compare the merchant id in the configuration with the processor's,
--   and ask the processor whether the API key may see it; a merchant that has
--   not traded yet needs nothing.
-- grain: one configured merchant.
select
    unlisted.merchant_id,
    unlisted.merchant_id as subject,
    nullif(merchants.name, '') as name,
    unlisted.since,
    (
        select count(*) from temp.complete_listing as listing
        where listing.resource = 'batches'
          and listing.selector = 'date'
          and listing.business_date between unlisted.since
              and asof.business_date
    ) as days
from temp.unlisted_merchants as unlisted
cross join temp.asof as asof
inner join temp.merchants as merchants
    on merchants.merchant_id = unlisted.merchant_id
where unlisted.is_said
order by unlisted.merchant_id
