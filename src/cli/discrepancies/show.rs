//! `tieout discrepancies show`: one discrepancy with its evidence.

use std::fmt::Write as _;

use chrono::NaiveDate;
use clap::Args;
use serde_json::{Value, json};

use super::fields::{expected, figure, json_of};
use crate::cli::{CliError, Context, TableArguments};
use crate::exit::Exit;
use crate::night::{DecisionError, NightError, whole_id};
use tieout_judge::Check;
use tieout_judge::registry_for;
use tieout_model::{Discrepancy, DiscrepancyStatus};
use tieout_report::aligned::{printable, wrapped};
use tieout_store::{
    Act, AuditRow, RecordBehind, Store, StoreError, Withdrawn, decisions, discrepancies, evidence,
    trail, withdrawn,
};

/// Show one with its evidence: both sides, the records behind it, their pages, the check that
/// decided, the decisions about it, and the API's own JSON
#[derive(Clone, Debug, Args)]
pub struct ShowArguments {
    /// Its id, or an unambiguous beginning of it
    pub id: String,
    #[command(flatten)]
    pub table: TableArguments,
}

/// Items of a total that are shown; the rest is counted.
const SHOWN_PARTS: usize = 100;

const WITHDRAWN: &str = "withdrawn";
const ACCEPTED: &str = "accepted";

/// Columns of the names before the values.
const NAMES: usize = 13;

/// One discrepancy with its evidence.
struct Shown {
    newest: Discrepancy,
    status: &'static str,
    /// The reruns that withdrew it, oldest first.
    withdrawn: Vec<Withdrawn>,
    /// On every date, oldest first: date and status.
    history: Vec<(String, String)>,
    acts: Vec<AuditRow>,
    records: Vec<RecordBehind>,
    /// The number of items in its totals that are not among the records.
    more: usize,
    check: Option<Check>,
}

/// Prints it.
///
/// # Errors
/// When there is no store or no such discrepancy.
pub fn execute(arguments: &ShowArguments, context: &Context) -> Result<Exit, CliError> {
    let settings = context.settings()?;
    let store = Store::open_for_reading(&settings.store_path).map_err(NightError::Store)?;
    let id = whole_id(&store, &arguments.id)?;
    let withdrawn = withdrawn::of(&store, &id).map_err(NightError::Store)?;
    let newest = newest(&store, &id, &withdrawn).map_err(NightError::Store)?;
    let newest =
        newest.ok_or_else(|| NightError::from(DecisionError::UnknownId { id: id.clone() }))?;
    let registry = registry_for(&settings).map_err(NightError::from)?;
    let terminals = settings
        .merchant(&newest.merchant_id)
        .map(|merchant| merchant.terminals.clone())
        .unwrap_or_default();
    let check = registry.find(&newest.code).cloned();
    let parts = check.as_ref().and_then(|check| check.made_of);
    let shown = (|| -> Result<Shown, StoreError> {
        let (records, more) =
            evidence::records_behind(&store, &newest, parts, &terminals, SHOWN_PARTS)?;
        Ok(Shown {
            status: status(&store, &newest, &withdrawn)?,
            withdrawn: withdrawn.clone(),
            history: discrepancies::history(&store, &id)?,
            acts: trail::acts_about(&store, &id)?,
            records,
            more,
            check,
            newest: newest.clone(),
        })
    })()
    .map_err(NightError::Store)?;
    if arguments.table.json {
        context.print_json(&as_json(&shown))?;
    } else {
        context.print(as_text(&shown).as_bytes())?;
    }
    Ok(Exit::Done)
}

/// The row of the latest date that reports it, else the last row that a rerun withdrew, with the
/// assignment since.
fn newest(
    store: &Store,
    id: &str,
    withdrawn: &[Withdrawn],
) -> Result<Option<Discrepancy>, StoreError> {
    let row = discrepancies::newest(store, id)?;
    let Some(mut row) = row.or_else(|| withdrawn.last().map(|gone| gone.last.clone())) else {
        return Ok(None);
    };
    row.assigned = decisions::assignments(store, next(&row))?.remove(id).unwrap_or_default();
    Ok(Some(row))
}

/// The date whose report shows a decision made now.
fn next(row: &Discrepancy) -> NaiveDate {
    row.business_date.succ_opt().unwrap_or(row.business_date)
}

fn status(
    store: &Store,
    row: &Discrepancy,
    withdrawn: &[Withdrawn],
) -> Result<&'static str, StoreError> {
    let is_withdrawn =
        withdrawn.last().is_some_and(|gone| gone.last.business_date == row.business_date);
    Ok(if is_withdrawn && discrepancies::newest(store, &row.discrepancy_id)?.is_none() {
        WITHDRAWN
    } else if row.status == DiscrepancyStatus::Cleared {
        "cleared"
    } else if row.is_carried && decisions::is_accepted(store, &row.discrepancy_id, next(row))? {
        ACCEPTED
    } else {
        row.status.as_str()
    })
}

fn as_json(shown: &Shown) -> Value {
    let mut value = json_of(&shown.newest);
    value["status"] = json!(shown.status);
    value["also_near"] = json!(shown.newest.also_near);
    let decided_by = shown
        .check
        .as_ref()
        .map(|check| json!({ "check": check.stem, "means": check.means, "sql": check.sql }));
    json!({
        "discrepancy": value,
        "subject": shown.newest.subject,
        "decided_by": decided_by,
        "history": shown
            .history
            .iter()
            .map(|(date, status)| json!({ "business_date": date, "status": status }))
            .collect::<Vec<_>>(),
        "withdrawn": shown
            .withdrawn
            .iter()
            .map(|gone| json!({
                "business_date": gone.last.business_date,
                "reported_at": gone.reported_at,
                "withdrawn_at": gone.withdrawn_at,
            }))
            .collect::<Vec<_>>(),
        "audit": shown.acts,
        "records": shown.records,
        "more_records": shown.more,
    })
}

fn as_text(shown: &Shown) -> String {
    let row = &shown.newest;
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            let value = wrapped(&printable(value), &" ".repeat(NAMES));
            let _ = write!(text, "{name:<NAMES$}{}", value.trim_start());
        }
    };
    line("id", &row.discrepancy_id);
    line("code", &row.code);
    line("severity", row.severity.as_str());
    line("status", &status_in_words(shown));
    line("assigned", &row.assigned.in_words());
    line("first seen", &format!("{}, {}", row.first_seen, age(row.age_days)));
    line("merchant", format!("{} {}", row.merchant_id, row.merchant_name).trim());
    line("expected", &expected(&shown.newest));
    line("actual", &figure(&shown.newest, row.actual));
    line("difference", &figure(&shown.newest, row.difference));
    line("what", &row.explanation);
    line("also near", &row.also_near);
    line("action", &row.action);
    for (name, ids) in [
        ("batches", &row.ids.batch_id),
        ("deposits", &row.ids.ach_deposit_id),
        ("cards", &row.ids.authorization_id),
        ("transactions", &row.ids.transaction_id),
        ("payments", &row.ids.payment_id),
        ("refunds", &row.ids.refund_id),
        ("orders", &row.ids.order_id),
        ("ledger", &row.ids.ledger_id),
        ("disputes", &row.ids.dispute_id),
    ] {
        line(name, ids);
    }
    history(&mut text, shown);
    for record in &shown.records {
        behind(&mut text, record);
    }
    if shown.more > 0 {
        let records = if shown.more == 1 { "record" } else { "records" };
        let _ = writeln!(text, "\nand {} more {records} behind its totals", shown.more);
    }
    if let Some(check) = &shown.check {
        let by = if check.is_for_ledger {
            "matching items with ledger records, and this selection of its findings"
        } else {
            "this check"
        };
        let _ = writeln!(text, "\nDecided by {by}, {}.sql:\n\n{}", check.stem, check.sql.trim());
    }
    text
}

/// The status with the person or run that caused it.
fn status_in_words(shown: &Shown) -> String {
    let date = shown.newest.business_date;
    let acceptance = shown.acts.iter().rfind(|row| row.act == Act::Accept.as_str());
    match (shown.status, shown.withdrawn.last(), acceptance) {
        (WITHDRAWN, Some(gone), _) => format!(
            "withdrawn: reported up to {date}, until the run of {} withdrew it",
            gone.withdrawn_at
        ),
        (ACCEPTED, _, Some(act)) => {
            format!("{}, from business date {}", act_in_words(act), act.business_date)
        }
        (status, ..) => format!("{status} (as of {date})"),
    }
}

/// A person's act, without the business date from which it counts.
fn act_in_words(act: &AuditRow) -> String {
    let AuditRow { who, note, .. } = act;
    let until = act.until.map(|date| format!(" up to and including {date}")).unwrap_or_default();
    match act.act.as_str() {
        kind if kind == Act::Accept.as_str() => format!("accepted by {who}{until}: {note}"),
        kind if kind == Act::Reopen.as_str() => format!("open again by {who}: {note}"),
        _ => match act.assignment().in_words().as_str() {
            "" => format!("unassigned by {who}"),
            words if act.owner == *who => format!("assigned: {words}"),
            words => format!("assigned by {who}: {words}"),
        },
    }
}

fn age(days: u32) -> String {
    match days {
        0 => "first day".to_owned(),
        1 => "1 banking day ago".to_owned(),
        days => format!("{days} banking days ago"),
    }
}

/// The history by business date: on each date the acts of people before the status of the date.
fn history(text: &mut String, shown: &Shown) {
    let mut lines: Vec<(String, u8, String)> = Vec::new();
    let mut before = "";
    for (date, status) in &shown.history {
        // A discrepancy that is open for long would fill the page.
        if status != before || status != DiscrepancyStatus::Open.as_str() {
            lines.push((date.clone(), 1, status.clone()));
        }
        before = status;
    }
    for act in &shown.acts {
        lines.push((act.business_date.to_string(), 0, act_in_words(act)));
    }
    for Withdrawn { last, withdrawn_at, .. } in &shown.withdrawn {
        let status = last.status.as_str();
        let words = format!("{status}, until the run of {withdrawn_at} withdrew it");
        lines.push((last.business_date.to_string(), 2, words));
    }
    lines.sort_by(|one, other| (&one.0, one.1).cmp(&(&other.0, other.1)));
    *text += "\nHistory\n";
    for (date, _, words) in lines {
        let words = wrapped(&printable(&words), &" ".repeat(2 + NAMES));
        let _ = write!(text, "  {date:<NAMES$}{}", words.trim_start());
    }
}

fn behind(text: &mut String, record: &RecordBehind) {
    let gone = if record.is_gone { ", no longer listed" } else { "" };
    let _ = writeln!(text, "\n{} {}{gone}", record.kind, record.id);
    let read_for = record.read_for.as_deref().unwrap_or("an earlier run");
    let mut from = format!("from {}, read for {read_for}", record.listing);
    if let (Some(page), Some(digest)) = (record.page, &record.digest) {
        let _ = write!(from, ", {page}, sha256 {digest}");
    }
    *text += &wrapped(&from, "  ");
    for version in &record.versions {
        let when = version.changed_in.as_deref().unwrap_or("an earlier run");
        let was = if version.was_gone { "was not listed" } else { "said" };
        *text += &wrapped(&format!("until the run of {when} it {was} {}", version.content), "  ");
    }
    match (&record.json, &record.missing) {
        (Some(json), _) => {
            for line in indented(json.get()).lines() {
                let _ = writeln!(text, "  {}", printable(line));
            }
        }
        (None, Some(why)) => {
            let _ = writeln!(text, "  {why}");
        }
        (None, None) => {}
    }
}

/// JSON with one value a line; numbers and names stay as they were written.
fn indented(json: &str) -> String {
    let (mut text, mut depth) = (String::new(), 0_usize);
    let (mut is_in_text, mut is_escaped) = (false, false);
    for c in json.chars() {
        let new_line = |text: &mut String, depth: usize| {
            text.push('\n');
            text.push_str(&"  ".repeat(depth));
        };
        if is_in_text {
            text.push(c);
            is_in_text = is_escaped || c != '"';
            is_escaped = !is_escaped && c == '\\';
            continue;
        }
        match c {
            '{' | '[' => {
                depth += 1;
                text.push(c);
                new_line(&mut text, depth);
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut text, depth);
                text.push(c);
            }
            ',' => {
                text.push(c);
                new_line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            '"' => {
                is_in_text = true;
                text.push(c);
            }
            c if c.is_whitespace() => {}
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indents_json_and_changes_nothing_else_in_it() {
        let json = r#"{"b":1.50,"a":["x, {y}: \"z\\",null]}"#;
        let expected =
            "{\n  \"b\": 1.50,\n  \"a\": [\n    \"x, {y}: \\\"z\\\\\",\n    null\n  ]\n}";
        assert_eq!(indented(json), expected);
    }
}
