-- purpose: hand a discrepancy between the deposits and the bank to its check.
-- grain: one discrepancy.
insert into temp.bank_findings (
    code, merchant_id, subject, currency, expected, actual, batch_date, ach_deposit_id,
    explanation, problem
) values (
    :code, :merchant_id, :subject, :currency, :expected, :actual, :batch_date,
    :ach_deposit_id, :explanation, :problem
)
