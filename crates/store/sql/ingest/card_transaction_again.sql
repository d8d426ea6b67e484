-- purpose: keep the newest content of a card transaction that an earlier
-- reading stored.
-- grain: one transaction; changes no row when this reading or a newer one holds
-- it already.
update card_transaction set
    -- A record read by its batch may carry no date; then it keeps the day it
    -- was listed under.
    day = case :day when '' then day else :day end,
    merchant_id = :merchant_id,
    batch_id = :batch_id,
    currency = :currency,
    transaction_type = :transaction_type,
    amount_minor = :amount_minor,
    ach_deposit_id = :ach_deposit_id,
    status = :status,
    settled_by = :settled_by,
    reading = :reading,
    content = :content,
    gone_in = null
where transaction_id = :transaction_id
  and reading < :reading
