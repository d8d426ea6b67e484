-- purpose: keep the journal entry of a date for a deposit.
-- grain: one deposit.
insert into journal_result (
    business_date, ach_deposit_id, merchant_id, merchant_name, currency,
    cash_minor, fees_minor, reserve_minor, chargebacks_minor, returns_minor,
    clearing_minor
) values (
    :business_date, :ach_deposit_id, :merchant_id, :merchant_name, :currency,
    :cash_minor, :fees_minor, :reserve_minor, :chargebacks_minor,
    :returns_minor, :clearing_minor
)
