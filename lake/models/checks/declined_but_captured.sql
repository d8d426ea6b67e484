-- purpose: captures under an authorization that the issuer refused.
-- grain: one business date and authorization.
select
    merchant.business_date,
    'DECLINED_BUT_CAPTURED' as code,
    item.merchant_id,
    cast(item.authorization_id as string) as subject,
    min(item.currency) as currency,
    cast(0 as bigint) as expected,
    cast(sum(item.amount_minor) as bigint) as actual
from {{ ref('checked_merchants') }} as merchant
inner join {{ ref('stg_authorizations') }} as item
    on item.merchant_id = merchant.merchant_id
    and item.business_date
        between merchant.start_date and merchant.business_date
where item.transaction_type = 'capture'
    and item.authorization_response not in (
        -- Approvals.
        'approved', 'approveVip', 'approveWithId', 'honorWithId', 'successful',
        'partialApproval', 'partialAuthorization', 'noReasonToDecline',
        -- What tells nothing, or may be followed by an approval by voice.
        'unknown', 'forceStip', 'noFinancialImpact', 'noActionTaken',
        'contactCardIssuer', 'pleaseCallIssuer', 'forwardToIssuer',
        'referToCardIssuer', 'referToCardIssuerSpecialCondition',
        'issuerNotAvailable', 'issuerTimeout', 'issuerUnavailable',
        'destinationCannotBeFoundForRouting', 'unableToGoOnline',
        'systemMalfunction'
    )
group by merchant.business_date, item.merchant_id, item.authorization_id
