-- purpose: the ledger records of a date. Rows of two files of a ledger that
-- agree in everything are one record, as often as the file that holds it most
-- often; with only the status differing, the last file by name counts.
-- grain: one ledger record; ?1 its date.
-- column ledger text: the ledger's name in the configuration
-- column merchant_id text: the MID
-- column ledger_id text: the record's own id
-- column copy count: numbers the equal rows of one file, from 1
-- column kind text: payment or refund
-- column currency text: its currency
-- column currency_exponent exponent: decimals of the currency
-- column amount_minor money: its amount, never below zero
-- column order_id text: the merchant's own id, card numbers masked
-- column reference text: the processor's id that it names
-- column last4 text: the last four digits of card or account
-- column status text: paid, void, declined or returned
with
numbered as (
    select
        file.ledger,
        file.path,
        record.*,
        row_number() over (
            partition by record.file_id, record.merchant_id, record.ledger_id,
                record.kind, record.currency, record.amount_minor,
                record.order_id, record.reference, record.last4
            order by record.line
        ) as copy
    from ledger_file as file
    cross join ledger_record as record on record.file_id = file.file_id
    where record.date = ?1
      and coalesce(file.last_date, '9999-12-31') >= ?1
),
kept as (
    select
        ledger,
        merchant_id,
        ledger_id,
        copy,
        kind,
        currency,
        amount_minor,
        order_id,
        reference,
        last4,
        status,
        -- With the greatest path go the columns of its row.
        max(path) as path
    from numbered
    group by ledger, merchant_id, ledger_id, kind, currency, amount_minor,
        order_id, reference, last4, copy
)
select
    ledger,
    merchant_id,
    ledger_id,
    copy,
    kind,
    currency,
    currency as currency_exponent,
    amount_minor,
    order_id,
    reference,
    last4,
    status
from kept
order by merchant_id, ledger, ledger_id, kind, currency, amount_minor,
    order_id, reference, last4, copy
