-- purpose: what a date posts of deposits to the books.

-- grain: one deposit whose money a date posts, a debit above zero. What an earlier date has posted
-- of it is posted once; a correction of that is the row of the date that found it.
create table journal_result (
    business_date text not null,
    ach_deposit_id integer not null,
    merchant_id text not null,
    merchant_name text not null,
    currency text not null,
    cash_minor integer not null,
    fees_minor integer not null,
    reserve_minor integer not null,
    chargebacks_minor integer not null,
    returns_minor integer not null,
    clearing_minor integer not null,
    constraint journal_result_key primary key (business_date, ach_deposit_id),
    constraint journal_result_balances check (
        cash_minor + fees_minor + reserve_minor + chargebacks_minor
            + returns_minor + clearing_minor = 0
    )
) strict, without rowid;
create index journal_result_by_deposit
    on journal_result (ach_deposit_id, business_date);
