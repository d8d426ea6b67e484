-- purpose: keep a line of the processor.
-- grain: one line of one file.
insert into bank_line (
    file_id, ordinal, line_key, line, account_last4, date, amount_minor,
    currency, merchant_id, is_interim, names, id_hash
) values (
    :file_id, :ordinal, :line_key, :line, :account_last4, :date, :amount_minor,
    :currency, :merchant_id, :is_interim, :names, :id_hash
)
