-- code: BANK_CREDIT_UNKNOWN
-- severity: warning
-- figure: amount
-- subject: line of the statement
-- names: nothing
-- for: bank
-- needs: ach-deposits
-- means: The bank shows money from the processor, or taken by it, that no deposit explains.
-- explanation: {explanation}
-- action: Find out what the processor paid or took here; a deposit that it does not report is missing from the settlement data.
-- grain: one line of the statement; pairing finds them, see temp.bank_findings.
select
    merchant_id,
    subject,
    currency,
    expected,
    actual,
    batch_date,
    ach_deposit_id,
    explanation,
    problem
from temp.bank_findings
where code = 'BANK_CREDIT_UNKNOWN'
order by merchant_id, subject
