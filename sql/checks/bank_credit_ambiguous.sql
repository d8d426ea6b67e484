-- code: BANK_CREDIT_AMBIGUOUS
-- severity: warning
-- figure: none
-- subject: candidates
-- names: nothing
-- for: bank
-- needs: ach-deposits
-- means: A line of the bank statement could pay the deposits in more ways than one; none of them is taken.
-- explanation: {explanation}
-- action: Ask the bank or the processor which deposits the line pays, and accept the discrepancy with the answer in the note.
-- grain: one set of candidates; pairing finds them, see temp.bank_findings.
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
where code = 'BANK_CREDIT_AMBIGUOUS'
order by merchant_id, subject
