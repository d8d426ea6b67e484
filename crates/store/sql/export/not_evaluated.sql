-- purpose: the checks that could not be made on a date.
-- grain: one check, merchant and scope; ?1 the business date.
-- column code text: the check
-- column merchant_id text: the MID; empty when it holds for every merchant
-- column scope text: its subject; empty for all of the merchant's
-- column reason text: why
select
    code,
    nullif(merchant_id, '') as merchant_id,
    nullif(scope, '') as scope,
    reason
from not_evaluated
where business_date = ?1
order by not_evaluated.merchant_id, code, not_evaluated.scope, reason
