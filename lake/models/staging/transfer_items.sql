-- purpose: the bank transfers that are items: those settled, but for account
-- verifications and for returns that are listed like payments.
-- grain: one bank transfer and settlement date.
select
    settled.business_date,
    settled.kind,
    settled.transfer_id,
    settled.merchant_id,
    settled.currency,
    settled.amount_minor,
    settled.status,
    settled.run_date
from {{ ref('stg_settled_transfers') }} as settled
where settled.transfer_type <> 'accountVerification'
    and not exists (
        select 1 from {{ ref('stg_transfer_returns') }} as returned
        where returned.return_id = settled.transfer_id
            and settled.kind = 'payment'
    )
