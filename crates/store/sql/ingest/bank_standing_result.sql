-- purpose: keep the state of a deposit or line at a bank as of a date.
-- grain: one deposit, line or gap.
insert into bank_standing_result (
    bank, kind, id, business_date, currency, merchant_id, day, due_date,
    amount_minor, bank_date, bank_minor, ach_deposit_id, place, verdict
) values (
    :bank, :kind, :id, :business_date, :currency, :merchant_id, :day,
    :due_date, :amount_minor, :bank_date, :bank_minor, :ach_deposit_id,
    :place, :verdict
)
