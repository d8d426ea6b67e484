-- purpose: what comparing the merchants' own books with the processor's items came to, filled
-- in by the program after matching and selected by the ledger checks.

-- grain: one merchant that names a ledger.
create temp table ledger_merchant (
    merchant_id text not null primary key
) strict;

-- grain: a ledger check that cannot be evaluated for a merchant, and why; an empty code is
-- every ledger check.
create temp table ledger_unread (
    merchant_id text not null,
    code text not null,
    reason text not null
) strict;

-- grain: one discrepancy between the books and the processor, or one that was open and cannot
-- be told (then problem says why).
create temp table ledger_findings (
    code text not null,
    merchant_id text not null,
    subject text not null,
    currency text,
    expected integer,
    actual integer,
    batch_date text,
    batch_id text not null,
    authorization_id text not null,
    transaction_id text not null,
    payment_id text not null,
    refund_id text not null,
    order_id text not null,
    ledger_id text not null,
    explanation text not null,
    problem text,
    constraint ledger_findings_key primary key (code, merchant_id, subject)
) strict;

-- purpose: the days before the start date of which something is known as of D: a deposit paid
-- since the start date pays for them, so that a run in any order has read them.
-- grain: one merchant and day before the start date.
create temp table paid_days_before_start as
select distinct deposit.merchant_id, deposit.association_date as day
from temp.asof as asof
inner join deposit on deposit.day between asof.start_date and asof.business_date
where deposit.association_date < asof.start_date
  and deposit.merchant_id is not null
  and deposit.gone_in is null;
