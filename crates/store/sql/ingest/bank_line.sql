-- purpose: keep a line that the processor caused.
-- grain: one line of one file.
insert into bank_line (
    file_id, ordinal, line_key, line, account_last4, date, amount_minor,
    currency, merchant_id, is_interim, names, id_hash
) values (
    :file_id, :ordinal, :line_key, :line, :account_last4, :date, :amount_minor,
    :currency, :merchant_id, :is_interim, :names, :id_hash
)
