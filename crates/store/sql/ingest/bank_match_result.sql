-- purpose: keep a row of bank_matches.csv.
-- grain: one deposit, or one line.
insert into bank_match_result (
    business_date, ordinal, ach_deposit_id, merchant_id, merchant_name,
    currency, payment_date, due_date, net_minor, bank, bank_date,
    bank_minor, bank_file, bank_line, verdict, deposit_verdict
) values (
    :business_date, :ordinal, :ach_deposit_id, :merchant_id, :merchant_name,
    :currency, :payment_date, :due_date, :net_minor, :bank, :bank_date,
    :bank_minor, :bank_file, :bank_line, :verdict, :deposit_verdict
)
