-- purpose: keep a fee line under the listing that held it.
-- grain: one fee line.
insert into fee (
    listing_id, ordinal, merchant_id, ach_deposit_id, association_date,
    adjustment_date, description, amount_minor, reading
) values (
    :listing_id, :ordinal, :merchant_id, :ach_deposit_id, :association_date,
    :adjustment_date, :description, :amount_minor, :reading
)
