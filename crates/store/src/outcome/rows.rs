//! Reads the result rows of a reconciled date.

use chrono::NaiveDate;
use rusqlite::Row;

use crate::columns::{
    added, added_date, added_minor, currency_column, date_column, minor_column, required_date,
    wrong,
};
use tieout_model::{
    Assignment, BatchRow, DepositRow, Discrepancy, DiscrepancyStatus, Figure, NotEvaluated,
    RecordIds, Severity, SummaryRow, TransitRow, Verdict,
};

pub(crate) fn verdict_column(row: &Row<'_>) -> rusqlite::Result<Verdict> {
    verdict_or_null(row, "verdict")?.ok_or_else(|| wrong("verdict", ""))
}

/// A verdict in a column that may be empty.
pub(crate) fn verdict_or_null(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<Verdict>> {
    let Some(text) = added::<String>(row, column)? else { return Ok(None) };
    let verdicts = [Verdict::NotEvaluated, Verdict::Discrepancy, Verdict::InTransit, Verdict::Tied];
    let found = verdicts.into_iter().find(|verdict| verdict.as_str() == text);
    found.map(Some).ok_or_else(|| wrong(column, &text))
}

pub fn not_evaluated(row: &Row<'_>) -> rusqlite::Result<NotEvaluated> {
    Ok(NotEvaluated {
        code: row.get("code")?,
        merchant_id: row.get("merchant_id")?,
        scope: row.get("scope")?,
        reason: row.get("reason")?,
        remedy: row.get::<_, Option<String>>("remedy")?.unwrap_or_default(),
    })
}

pub fn discrepancy(row: &Row<'_>) -> rusqlite::Result<Discrepancy> {
    let status: String = row.get("status")?;
    let status = match status.as_str() {
        "new" => DiscrepancyStatus::New,
        // Acceptance only selects the list: the discrepancy itself is still open.
        "open" | "accepted" => DiscrepancyStatus::Open,
        "cleared" => DiscrepancyStatus::Cleared,
        _ => return Err(wrong("status", &status)),
    };
    Ok(Discrepancy {
        is_reopened: row.get("is_reopened")?,
        status,
        business_date: required_date(row, "business_date")?,
        first_seen: required_date(row, "first_seen")?,
        age_days: row.get("age_days")?,
        merchant_name: row.get("merchant_name")?,
        assigned: assignment(row)?,
        ..discrepancy_figures(row)?
    })
}

/// The content of a discrepancy on any date; the caller sets its dates and status.
pub(crate) fn discrepancy_figures(row: &Row<'_>) -> rusqlite::Result<Discrepancy> {
    let severity: String = row.get("severity")?;
    let figure: String = row.get("figure")?;
    let expected: Option<i64> = row.get("expected")?;
    let actual: Option<i64> = row.get("actual")?;
    let has_difference: bool = row.get("has_difference")?;
    Ok(Discrepancy {
        discrepancy_id: row.get("discrepancy_id")?,
        code: row.get("code")?,
        severity: Severity::from_name(&severity).ok_or_else(|| wrong("severity", &severity))?,
        status: DiscrepancyStatus::Open,
        business_date: NaiveDate::default(),
        first_seen: NaiveDate::default(),
        age_days: 0,
        merchant_id: row.get("merchant_id")?,
        merchant_name: String::new(),
        subject: row.get("subject")?,
        currency: currency_column(row, "currency")?,
        figure: if figure == "count" { Figure::Count } else { Figure::Amount },
        expected,
        actual,
        difference: expected
            .zip(actual)
            .filter(|_| has_difference)
            .and_then(|(expected, actual)| actual.checked_sub(expected)),
        batch_date: date_column(row, "batch_date")?,
        ids: record_ids(row)?,
        explanation: row.get("explanation")?,
        action: row.get("action")?,
        is_carried: row.get("is_carried")?,
        is_reopened: false,
        has_difference,
        expected_currency: currency_column(row, "expected_currency")?,
        assigned: Assignment::default(),
    })
}

/// The assignment; empty where there is none.
fn assignment(row: &Row<'_>) -> rusqlite::Result<Assignment> {
    let text = |column| added(row, column).map(Option::unwrap_or_default);
    Ok(Assignment {
        owner: text("owner")?,
        ticket: text("ticket")?,
        due_date: added_date(row, "due_date")?,
        note: text("note")?,
    })
}

pub(crate) fn record_ids(row: &Row<'_>) -> rusqlite::Result<RecordIds> {
    Ok(RecordIds {
        batch_id: row.get("batch_id")?,
        ach_deposit_id: row.get("ach_deposit_id")?,
        authorization_id: row.get("authorization_id")?,
        transaction_id: row.get("transaction_id")?,
        payment_id: row.get("payment_id")?,
        refund_id: row.get("refund_id")?,
        order_id: row.get("order_id")?,
        ledger_id: row.get("ledger_id")?,
        dispute_id: added(row, "dispute_id")?.unwrap_or_default(),
    })
}

pub fn deposit(row: &Row<'_>) -> rusqlite::Result<DepositRow> {
    deposit_figures(row, verdict_column(row)?)
}

/// A deposit row without its verdict; the same columns come from the store and from SQL.
pub(crate) fn deposit_figures(row: &Row<'_>, verdict: Verdict) -> rusqlite::Result<DepositRow> {
    Ok(DepositRow {
        ach_deposit_id: row.get("ach_deposit_id")?,
        merchant_id: row.get("merchant_id")?,
        merchant_name: row.get("merchant_name")?,
        currency: currency_column(row, "currency")?,
        association_date: date_column(row, "association_date")?,
        ach_date: date_column(row, "ach_date")?,
        payment_date: date_column(row, "payment_date")?,
        transactions: row.get("transactions")?,
        sales: minor_column(row, "sales_minor")?,
        returns: minor_column(row, "returns_minor")?,
        daily_fees: minor_column(row, "daily_fees_minor")?,
        held_sales: minor_column(row, "held_sales_minor")?,
        ach_adjustment: minor_column(row, "ach_adjustment_minor")?,
        holdback: minor_column(row, "holdback_minor")?,
        reserve_release: minor_column(row, "reserve_release_minor")?,
        net_amount: minor_column(row, "net_amount_minor")?,
        net_expected: minor_column(row, "net_expected_minor")?,
        batch_sales: minor_column(row, "batch_sales_minor")?,
        batch_returns: minor_column(row, "batch_returns_minor")?,
        batch_transactions: row.get("batch_transactions")?,
        fees_total: minor_column(row, "fees_total_minor")?,
        returned_amount: minor_column(row, "returned_amount_minor")?,
        unexplained: minor_column(row, "unexplained_minor")?,
        verdict,
        disputed_amount: added_minor(row, "disputed_minor")?,
        bank_date: added_date(row, "bank_date")?,
        bank_amount: added_minor(row, "bank_minor")?,
        bank_verdict: added(row, "bank_verdict")?.unwrap_or_default(),
        pays_for: added(row, "pays_for")?.unwrap_or_default(),
    })
}

pub fn batch(row: &Row<'_>) -> rusqlite::Result<BatchRow> {
    batch_figures(row, verdict_column(row)?)
}

/// A batch row without its verdict; the same columns come from the store and from SQL.
pub(crate) fn batch_figures(row: &Row<'_>, verdict: Verdict) -> rusqlite::Result<BatchRow> {
    Ok(BatchRow {
        batch_id: row.get("batch_id")?,
        merchant_id: row.get("merchant_id")?,
        merchant_name: row.get("merchant_name")?,
        currency: currency_column(row, "currency")?,
        batch_date: required_date(row, "batch_date")?,
        transaction_count: row.get("transaction_count")?,
        sale_amount: minor_column(row, "sale_amount_minor")?,
        return_amount: minor_column(row, "return_amount_minor")?,
        items_count: row.get("items_count")?,
        items_sales: minor_column(row, "items_sales_minor")?,
        items_returns: minor_column(row, "items_returns_minor")?,
        ach_deposit_id: row.get("ach_deposit_id")?,
        verdict,
        on_hold: added_minor(row, "on_hold_minor")?,
        settled_elsewhere: added_minor(row, "settled_elsewhere_minor")?,
        withdrawn: added_minor(row, "withdrawn_minor")?,
    })
}

/// A date, or `None` where the column is empty.
fn date_or_empty(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<NaiveDate>> {
    if row.get_ref(column)?.as_str_or_null()?.is_none_or(str::is_empty) {
        return Ok(None);
    }
    date_column(row, column)
}

/// A row of money in transit; the same columns come from the store and from SQL.
pub fn transit(row: &Row<'_>) -> rusqlite::Result<TransitRow> {
    Ok(TransitRow {
        kind: row.get("kind")?,
        id: row.get("id")?,
        merchant_id: row.get("merchant_id")?,
        merchant_name: row.get("merchant_name")?,
        currency: currency_column(row, "currency")?,
        date: date_or_empty(row, "date")?,
        due_date: date_or_empty(row, "due_date")?,
        amount: minor_column(row, "amount_minor")?,
        status: row.get::<_, Option<String>>("status")?.unwrap_or_default(),
    })
}

pub fn summary(row: &Row<'_>) -> rusqlite::Result<SummaryRow> {
    Ok(SummaryRow {
        merchant_id: row.get("merchant_id")?,
        merchant_name: row.get("merchant_name")?,
        currency: currency_column(row, "currency")?,
        deposits: row.get("deposits")?,
        deposited_net: minor_column(row, "deposited_net_minor")?,
        batches: row.get("batches")?,
        items: row.get("items")?,
        items_amount: minor_column(row, "items_amount_minor")?,
        ledger_records: row.get("ledger_records")?,
        matched: row.get("matched")?,
        in_transit_amount: minor_column(row, "in_transit_minor")?,
        opening: row.get("opening")?,
        new: row.get("new")?,
        cleared: row.get("cleared")?,
        closing: row.get("closing")?,
        closing_amount: minor_column(row, "closing_minor")?,
        verdict: verdict_column(row)?,
        opening_amount: minor_column(row, "opening_minor")?,
        new_amount: minor_column(row, "new_minor")?,
        cleared_amount: minor_column(row, "cleared_minor")?,
        accepted: row.get("accepted")?,
        accepted_amount: minor_column(row, "accepted_minor")?,
        on_hold_amount: minor_column(row, "on_hold_minor")?,
        overdue_amount: minor_column(row, "overdue_minor")?,
        final_date: date_column(row, "final_date")?,
        changed_amount: added_minor(row, "changed_minor")?,
    })
}
