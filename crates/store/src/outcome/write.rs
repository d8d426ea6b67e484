//! Writes the results of a reconciled date.

use chrono::NaiveDate;
use rusqlite::{Connection, Transaction, named_params};

use super::day::DayOutcome;
use crate::columns::kept;
use crate::match_page;
use crate::seal::seal;
use tieout_model::money::{Currency, Minor};
use tieout_model::{BatchRow, DepositRow, Discrepancy, Figure, MatchRow, NotEvaluated, SummaryRow};

pub(crate) fn write_outcome(
    transaction: &Transaction<'_>,
    date: &str,
    outcome: &DayOutcome,
    matches: &[MatchRow],
) -> rusqlite::Result<()> {
    for discrepancy in &outcome.discrepancies {
        let status = discrepancy.status.as_str();
        write_discrepancy(transaction, date, discrepancy, status)?;
    }
    for discrepancy in &outcome.accepted {
        write_discrepancy(transaction, date, discrepancy, "accepted")?;
    }
    let mut insert = transaction.prepare(
        "insert or ignore into not_evaluated \
         (business_date, code, merchant_id, scope, reason, remedy) values (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for entry in &outcome.not_evaluated {
        let NotEvaluated { code, merchant_id, scope, reason, remedy } = entry;
        let remedy = Some(remedy).filter(|remedy| !remedy.is_empty());
        insert.execute((date, code, merchant_id, scope, reason, remedy))?;
    }
    for row in &outcome.deposits {
        write_deposit(transaction, date, row)?;
    }
    for row in &outcome.batches {
        write_batch(transaction, date, row)?;
    }
    match_page::write(transaction, date, matches)?;
    for row in &outcome.in_transit {
        transaction.prepare_cached(include_str!("../../sql/ingest/transit_result.sql"))?.execute(
            named_params! {
                ":business_date": date,
                ":kind": row.kind,
                ":id": row.id,
                ":merchant_id": row.merchant_id,
                ":merchant_name": row.merchant_name,
                ":currency": row.currency.map(Currency::code),
                ":date": row.date.map_or_else(String::new, |date| date.to_string()),
                ":due_date": row.due_date.map_or_else(String::new, |date| date.to_string()),
                ":amount_minor": row.amount.map(|amount| amount.0),
                ":status": Some(&row.status).filter(|status| !status.is_empty()),
            },
        )?;
    }
    for row in &outcome.summary {
        write_summary(transaction, date, row)?;
    }
    Ok(())
}

/// Notes, the first time, the complete listings that the date was judged by: later readings are
/// compared with their content at that time.
pub(crate) fn note_reconciled_listings(
    transaction: &Transaction<'_>,
    date: &str,
) -> rusqlite::Result<()> {
    let newest: i64 = newest_reading(transaction)?;
    transaction.execute(include_str!("../../sql/ingest/reconciled_listing.sql"), (date, newest))?;
    Ok(())
}

pub fn newest_reading(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("select coalesce(max(reading_id), 0) from reading", [], |row| row.get(0))
}

pub(crate) fn write_discrepancy(
    transaction: &Transaction<'_>,
    date: &str,
    stored: &Discrepancy,
    status: &str,
) -> rusqlite::Result<()> {
    let row = &stored;
    transaction.prepare_cached(include_str!("../../sql/ingest/discrepancy_day.sql"))?.execute(
        named_params! {
            ":business_date": date,
            ":discrepancy_id": row.discrepancy_id,
            ":code": row.code,
            ":severity": row.severity.as_str(),
            ":status": status,
            ":is_carried": stored.is_carried,
            ":is_reopened": stored.is_reopened,
            ":first_seen": row.first_seen.to_string(),
            ":age_days": row.age_days,
            ":subject": stored.subject,
            ":merchant_id": row.merchant_id,
            ":merchant_name": row.merchant_name,
            ":currency": row.currency.map(Currency::code),
            ":figure": figure_word(row.figure),
            ":has_difference": stored.has_difference,
            ":expected": row.expected,
            ":actual": row.actual,
            ":batch_date": row.batch_date.map(|date| date.to_string()),
            ":batch_id": row.ids.batch_id,
            ":ach_deposit_id": row.ids.ach_deposit_id,
            ":authorization_id": row.ids.authorization_id,
            ":transaction_id": row.ids.transaction_id,
            ":payment_id": row.ids.payment_id,
            ":refund_id": row.ids.refund_id,
            ":order_id": row.ids.order_id,
            ":ledger_id": row.ids.ledger_id,
            ":explanation": row.explanation,
            ":action": row.action,
            ":dispute_id": kept(&row.ids.dispute_id),
            ":expected_currency": row.expected_currency.map(Currency::code),
            ":owner": kept(&row.assigned.owner),
            ":ticket": kept(&row.assigned.ticket),
            ":due_date": row.assigned.due_date.map(|date| date.to_string()),
            ":note": kept(&row.assigned.note),
        },
    )?;
    Ok(())
}

/// Keeps a discrepancy as it was found in the closed `date`.
pub(crate) fn write_prior_finding(
    transaction: &Transaction<'_>,
    date: &str,
    stored: &Discrepancy,
) -> rusqlite::Result<()> {
    let row = &stored;
    transaction.prepare_cached(include_str!("../../sql/ingest/prior_finding.sql"))?.execute(
        named_params! {
            ":business_date": date,
            ":discrepancy_id": row.discrepancy_id,
            ":code": row.code,
            ":severity": row.severity.as_str(),
            ":is_carried": stored.is_carried,
            ":subject": stored.subject,
            ":merchant_id": row.merchant_id,
            ":currency": row.currency.map(Currency::code),
            ":figure": figure_word(row.figure),
            ":has_difference": stored.has_difference,
            ":expected": row.expected,
            ":actual": row.actual,
            ":batch_date": row.batch_date.map(|date| date.to_string()),
            ":batch_id": row.ids.batch_id,
            ":ach_deposit_id": row.ids.ach_deposit_id,
            ":authorization_id": row.ids.authorization_id,
            ":transaction_id": row.ids.transaction_id,
            ":payment_id": row.ids.payment_id,
            ":refund_id": row.ids.refund_id,
            ":order_id": row.ids.order_id,
            ":ledger_id": row.ids.ledger_id,
            ":explanation": row.explanation,
            ":action": row.action,
            ":dispute_id": kept(&row.ids.dispute_id),
            ":expected_currency": row.expected_currency.map(Currency::code),
        },
    )?;
    seal(transaction, "prior_finding", &[&date, &row.discrepancy_id])
}

pub(crate) fn figure_word(figure: Figure) -> &'static str {
    match figure {
        Figure::Amount => "amount",
        Figure::Count => "count",
    }
}

pub(crate) fn write_deposit(
    transaction: &Transaction<'_>,
    date: &str,
    row: &DepositRow,
) -> rusqlite::Result<()> {
    let minor = |amount: Option<Minor>| amount.map(|amount| amount.0);
    let day = |date: Option<NaiveDate>| date.map(|date| date.to_string());
    transaction.prepare_cached(include_str!("../../sql/ingest/deposit_result.sql"))?.execute(
        named_params! {
            ":business_date": date,
            ":ach_deposit_id": row.ach_deposit_id,
            ":merchant_id": row.merchant_id,
            ":merchant_name": row.merchant_name,
            ":currency": row.currency.map(Currency::code),
            ":association_date": day(row.association_date),
            ":ach_date": day(row.ach_date),
            ":payment_date": day(row.payment_date),
            ":transactions": row.transactions,
            ":sales_minor": minor(row.sales),
            ":returns_minor": minor(row.returns),
            ":daily_fees_minor": minor(row.daily_fees),
            ":held_sales_minor": minor(row.held_sales),
            ":ach_adjustment_minor": minor(row.ach_adjustment),
            ":holdback_minor": minor(row.holdback),
            ":reserve_release_minor": minor(row.reserve_release),
            ":net_amount_minor": minor(row.net_amount),
            ":net_expected_minor": minor(row.net_expected),
            ":batch_sales_minor": minor(row.batch_sales),
            ":batch_returns_minor": minor(row.batch_returns),
            ":batch_transactions": row.batch_transactions,
            ":fees_total_minor": minor(row.fees_total),
            ":returned_amount_minor": minor(row.returned_amount),
            ":unexplained_minor": minor(row.unexplained),
            ":verdict": row.verdict.as_str(),
            ":disputed_minor": minor(row.disputed_amount),
            ":bank_date": day(row.bank_date),
            ":bank_minor": minor(row.bank_amount),
            ":bank_verdict": kept(&row.bank_verdict),
            ":pays_for": kept(&row.pays_for),
        },
    )?;
    Ok(())
}

pub fn write_batch(
    transaction: &Transaction<'_>,
    date: &str,
    row: &BatchRow,
) -> rusqlite::Result<()> {
    transaction.prepare_cached(include_str!("../../sql/ingest/batch_result.sql"))?.execute(
        named_params! {
            ":business_date": date,
            ":batch_id": row.batch_id,
            ":merchant_id": row.merchant_id,
            ":merchant_name": row.merchant_name,
            ":currency": row.currency.map(Currency::code),
            ":batch_date": row.batch_date.to_string(),
            ":transaction_count": row.transaction_count,
            ":sale_amount_minor": row.sale_amount.map(|amount| amount.0),
            ":return_amount_minor": row.return_amount.map(|amount| amount.0),
            ":items_count": row.items_count,
            ":items_sales_minor": row.items_sales.map(|amount| amount.0),
            ":items_returns_minor": row.items_returns.map(|amount| amount.0),
            ":ach_deposit_id": row.ach_deposit_id,
            ":verdict": row.verdict.as_str(),
            ":on_hold_minor": row.on_hold.map(|amount| amount.0),
            ":settled_elsewhere_minor": row.settled_elsewhere.map(|amount| amount.0),
            ":withdrawn_minor": row.withdrawn.map(|amount| amount.0),
        },
    )?;
    Ok(())
}

pub(crate) fn write_summary(
    transaction: &Transaction<'_>,
    date: &str,
    row: &SummaryRow,
) -> rusqlite::Result<()> {
    transaction.prepare_cached(include_str!("../../sql/ingest/summary_result.sql"))?.execute(
        named_params! {
            ":business_date": date,
            ":merchant_id": row.merchant_id,
            ":currency": row.currency.map(Currency::code).unwrap_or_default(),
            ":merchant_name": row.merchant_name,
            ":deposits": row.deposits,
            ":deposited_net_minor": row.deposited_net.map(|amount| amount.0),
            ":batches": row.batches,
            ":items": row.items,
            ":items_amount_minor": row.items_amount.map(|amount| amount.0),
            ":ledger_records": row.ledger_records,
            ":matched": row.matched,
            ":in_transit_minor": row.in_transit_amount.map(|amount| amount.0),
            ":opening": row.opening,
            ":new": row.new,
            ":cleared": row.cleared,
            ":closing": row.closing,
            ":closing_minor": row.closing_amount.map(|amount| amount.0),
            ":verdict": row.verdict.as_str(),
            ":opening_minor": row.opening_amount.map(|amount| amount.0),
            ":new_minor": row.new_amount.map(|amount| amount.0),
            ":cleared_minor": row.cleared_amount.map(|amount| amount.0),
            ":accepted": row.accepted,
            ":accepted_minor": row.accepted_amount.map(|amount| amount.0),
            ":on_hold_minor": row.on_hold_amount.map(|amount| amount.0),
            ":overdue_minor": row.overdue_amount.map(|amount| amount.0),
            ":final_date": row.final_date.map(|date| date.to_string()),
            ":changed_minor": row.changed_amount.map(|amount| amount.0),
        },
    )?;
    Ok(())
}
