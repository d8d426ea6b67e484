-- code: UNKNOWN_MERCHANT
-- severity: warning
-- figure: none
-- about: setup
-- subject: merchant
-- names: nothing
-- needs: ach-deposits ach-deposit-fees batches authorizations
-- unchecked: judged
-- means: The API lists a merchant that the configuration does not name; nothing
--   else is checked for it.
-- explanation: The API lists merchant {merchant_id} ({name}), which the
--   configuration does not name; nothing else is checked for it.
-- name unknown: without a name
-- action: Add the merchant to the configuration, with its terminals and its
--   ledger, or ask why the key sees it.
-- grain: one merchant.
with
listed as (
    select merchant_id from temp.judged_days as judged cross join deposit
        on deposit.day = judged.day
    where gone_in is null
    union
    select merchant_id from temp.judged_days as judged cross join batch
        on batch.day = judged.day
    where gone_in is null
    union
    select merchant_id from temp.listed_cards
    where day in (select day from temp.judged_days)
    union
    select fee.merchant_id
    from temp.judged_days as judged
    cross join listing
        on listing.resource = 'ach-deposit-fees'
        and listing.selector = 'date'
        and listing.business_date = judged.day
        and listing.scope = ''
    inner join fee
        on fee.listing_id = listing.listing_id
            and fee.reading = listing.reading_id
    union
    select merchant_id from temp.carried where code = 'UNKNOWN_MERCHANT'
)
select
    merchants.merchant_id,
    merchants.merchant_id as subject,
    nullif(merchants.name, '') as name
from listed
inner join temp.merchants as merchants
    on merchants.merchant_id = listed.merchant_id
where not merchants.is_checked
order by merchants.merchant_id
