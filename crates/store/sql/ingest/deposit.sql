-- purpose: keep the newest content of a deposit.
-- grain: one deposit; changes no row when this reading or a newer one holds it
-- already.
insert into deposit (
    ach_deposit_id, day, merchant_id, association_date, ach_date, payment_date,
    transactions, sales_minor, returns_minor, daily_fees_minor,
    held_sales_minor,
    ach_adjustment_minor, holdback_minor, reserve_release_minor,
    net_amount_minor,
    reading, first_reading, content
) values (
    :ach_deposit_id, :day, :merchant_id, :association_date, :ach_date,
    :payment_date,
    :transactions, :sales_minor, :returns_minor, :daily_fees_minor,
    :held_sales_minor,
    :ach_adjustment_minor, :holdback_minor, :reserve_release_minor,
    :net_amount_minor,
    :reading, :reading, :content
)
on conflict (ach_deposit_id) do update set
    -- A record read by its id may carry no date; then it keeps the day it was
    -- listed under.
    day = case excluded.day when '' then deposit.day else excluded.day end,
    merchant_id = excluded.merchant_id,
    association_date = excluded.association_date,
    ach_date = excluded.ach_date,
    payment_date = excluded.payment_date,
    transactions = excluded.transactions,
    sales_minor = excluded.sales_minor,
    returns_minor = excluded.returns_minor,
    daily_fees_minor = excluded.daily_fees_minor,
    held_sales_minor = excluded.held_sales_minor,
    ach_adjustment_minor = excluded.ach_adjustment_minor,
    holdback_minor = excluded.holdback_minor,
    reserve_release_minor = excluded.reserve_release_minor,
    net_amount_minor = excluded.net_amount_minor,
    reading = excluded.reading,
    content = excluded.content,
    gone_in = null
where deposit.reading < excluded.reading
