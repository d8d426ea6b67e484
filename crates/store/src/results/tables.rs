//! The tables of results: the columns of each row beside its business date.

use rusqlite::Row;

use super::kept::{Kept as _, Stored, kept};
use tieout_model::money::Minor;
use tieout_model::{
    Acceptance, Accounts, Assignment, BankMatchRow, BankStanding, BatchRow, DepositRow,
    Discrepancy, DisputeRow, JournalEntry, NotEvaluated, RecordIds, SummaryRow, TransitRow,
};

macro_rules! tables {
    ($($row:ty: $table:literal,)+) => {
        $(impl Stored for $row {
            const TABLE: &'static str = $table;
        })+
    };
}

tables! {
    Discrepancy: "discrepancy_day",
    NotEvaluated: "not_evaluated",
    DepositRow: "deposit_result",
    BatchRow: "batch_result",
    TransitRow: "transit_result",
    SummaryRow: "summary_result",
    DisputeRow: "dispute_result",
    BankMatchRow: "bank_match_result",
    BankStanding: "bank_standing_result",
    JournalEntry: "journal_result",
    Acceptance: "acceptance_result",
}

kept! { Discrepancy {
    discrepancy_id, code, severity, status, business_date, first_seen, age_days, merchant_id,
    merchant_name, subject, currency, figure, expected, actual, batch_date, ids, explanation,
    action, is_carried, is_reopened, has_difference, expected_currency, also_near: or_null,
    assigned,
} computed { difference = None } }

kept! { RecordIds {
    batch_id, ach_deposit_id, authorization_id, transaction_id, payment_id, refund_id, order_id,
    ledger_id, dispute_id: or_null,
} }

kept! { Assignment { owner: or_null, ticket: or_null, due_date, note: or_null } }

kept! { NotEvaluated { code, merchant_id, scope, reason, remedy: or_null } }

kept! { DepositRow {
    ach_deposit_id, merchant_id, merchant_name, currency, association_date, ach_date, payment_date,
    transactions,
    sales as "sales_minor",
    returns as "returns_minor",
    daily_fees as "daily_fees_minor",
    held_sales as "held_sales_minor",
    ach_adjustment as "ach_adjustment_minor",
    holdback as "holdback_minor",
    reserve_release as "reserve_release_minor",
    net_amount as "net_amount_minor",
    net_expected as "net_expected_minor",
    batch_sales as "batch_sales_minor",
    batch_returns as "batch_returns_minor",
    batch_transactions,
    fees_total as "fees_total_minor",
    returned_amount as "returned_amount_minor",
    unexplained as "unexplained_minor",
    verdict,
    disputed_amount as "disputed_minor",
    bank_date,
    bank_amount as "bank_minor",
    bank_verdict: or_null,
    pays_for: or_null,
} }

kept! { BatchRow {
    batch_id, merchant_id, merchant_name, currency, batch_date, transaction_count,
    sale_amount as "sale_amount_minor",
    return_amount as "return_amount_minor",
    items_count,
    items_sales as "items_sales_minor",
    items_returns as "items_returns_minor",
    ach_deposit_id, verdict,
    on_hold as "on_hold_minor",
    settled_elsewhere as "settled_elsewhere_minor",
    withdrawn as "withdrawn_minor",
} }

kept! { TransitRow {
    kind, id, merchant_id, merchant_name, currency, date: or_blank, due_date: or_blank,
    amount as "amount_minor",
    status: or_null,
} }

kept! { SummaryRow {
    merchant_id, merchant_name, currency: or_blank, deposits,
    deposited_net as "deposited_net_minor",
    batches, items,
    items_amount as "items_amount_minor",
    ledger_records, matched,
    in_transit_amount as "in_transit_minor",
    opening, new, cleared, closing,
    closing_amount as "closing_minor",
    verdict,
    opening_amount as "opening_minor",
    new_amount as "new_minor",
    cleared_amount as "cleared_minor",
    accepted,
    accepted_amount as "accepted_minor",
    on_hold_amount as "on_hold_minor",
    overdue_amount as "overdue_minor",
    final_date,
    changed_amount as "changed_minor",
} }

kept! { DisputeRow {
    dispute_id, merchant_id, merchant_name, currency, dispute_type, status, status_date,
    received_date, due_date,
    amount as "amount_minor",
    fee as "fee_minor",
    transaction_id, authorization_id, ach_deposit_id, verdict,
} }

kept! { BankMatchRow {
    ach_deposit_id, merchant_id, merchant_name, currency, payment_date, due_date,
    net_amount as "net_minor",
    bank, bank_date,
    bank_amount as "bank_minor",
    bank_file, bank_line, verdict, deposit_verdict,
} }

kept! { BankStanding {
    bank, kind, id, currency, merchant_id, day, due_date,
    amount as "amount_minor",
    bank_date,
    bank_amount as "bank_minor",
    ach_deposit_id, place, verdict,
} }

kept! { JournalEntry { ach_deposit_id, merchant_id, merchant_name, currency, amounts } }

kept! { Accounts<Minor> {
    cash as "cash_minor",
    fees as "fees_minor",
    reserve as "reserve_minor",
    chargebacks as "chargebacks_minor",
    returns as "returns_minor",
    clearing as "clearing_minor",
} }

kept! { Acceptance {
    discrepancy_id, who, moment, note,
    since as "accepted_from",
    until as "accepted_until",
    is_new,
} }

/// A discrepancy with the difference that its figures give.
pub(crate) fn discrepancy(row: &Row<'_>) -> rusqlite::Result<Discrepancy> {
    let stored = Discrepancy::read(row, "")?;
    let figures = stored.expected.zip(stored.actual).filter(|_| stored.has_difference);
    let difference = figures.and_then(|(expected, actual)| actual.checked_sub(expected));
    Ok(Discrepancy { difference, ..stored })
}
