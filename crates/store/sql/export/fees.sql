-- purpose: the fees of the deposits paid on a date, and those listed for it.
-- grain: one fee line of one listing; ?1 the date. A fee has no id: its
-- listing, merchant and place are its key.
-- column listed_by text: deposit, or date for the listing of all fees
-- column listed_for text: the deposit's id, or the date
-- column ordinal count: its place among the merchant's fees, from 1
-- column merchant_id text: the MID
-- column ach_deposit_id integer: the deposit that it names
-- column currency text: that of the deposit; empty when it is not known
-- column currency_exponent exponent: decimals of the currency
-- column association_date date: as the API states it
-- column adjustment_date date: as the API states it
-- column description text: its purpose
-- column amount_minor money: its amount
with
listed as (
    select
        'deposit' as listed_by,
        listing.scope as listed_for,
        listing.listing_id,
        listing.reading_id
    from deposit
    cross join listing
    where deposit.day = ?1
      and deposit.gone_in is null
      and listing.resource = 'ach-deposit-fees'
      and listing.selector = 'deposit'
      and listing.business_date = ''
      and listing.scope = cast(deposit.ach_deposit_id as text)
    union all
    select 'date', listing.business_date, listing.listing_id, listing.reading_id
    from listing
    where listing.resource = 'ach-deposit-fees'
      and listing.selector = 'date'
      and listing.business_date = ?1
)
select
    listed.listed_by,
    listed.listed_for,
    row_number() over (
        partition by listed.listed_by, listed.listed_for, fee.merchant_id
        order by fee.ordinal
    ) as ordinal,
    fee.merchant_id,
    fee.ach_deposit_id,
    result.currency,
    result.currency as currency_exponent,
    fee.association_date,
    fee.adjustment_date,
    fee.description,
    fee.amount_minor
from listed
cross join fee
    on fee.listing_id = listed.listing_id
        and fee.reading = listed.reading_id
left join deposit
    on deposit.ach_deposit_id = fee.ach_deposit_id
left join deposit_result as result
    on result.business_date = deposit.day
        and result.ach_deposit_id = deposit.ach_deposit_id
order by fee.merchant_id, listed.listed_by, listed.listed_for, ordinal
