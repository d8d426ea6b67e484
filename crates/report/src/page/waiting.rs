//! The date up to which each merchant is final, and the events that it still waits for.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use maud::{Markup, html};

use super::shell::section;
use super::state::{MAX_LINES, rest};
use super::table::{Cell, Head, table, text};
use super::words::{counted, list};
use crate::DateReport;
use crate::totals::is_open;
use tieout_model::{BankVerdict, Severity, SummaryRow};

/// A line for each merchant, whatever its currencies: it has one final date.
pub(super) fn waiting(report: &DateReport<'_>, summary: &[&SummaryRow]) -> Markup {
    const HEADS: [Head; 3] = [text("Merchant"), text("Final up to"), text("Waits for")];
    let mut summary = summary.to_vec();
    summary.dedup_by(|row, before| row.merchant_id == before.merchant_id);
    let lines = summary.iter().take(MAX_LINES).map(|row| {
        let none = || Cell::words("no date yet");
        let final_up_to = row.final_date.map_or_else(none, |date| Cell::date(Some(date)));
        let waits = waits_for(report, row);
        [
            Cell::merchant(&row.merchant_id, &row.merchant_name),
            final_up_to,
            Cell::words(&if waits.is_empty() { "nothing".to_owned() } else { list(&waits) }),
        ]
    });
    let content = html! {
        (table("cards waits", "Date up to which each merchant is final, and what it waits for", &HEADS, lines))
        (rest(summary.len(), "summary.csv"))
    };
    section("final", "Final dates, and open items", &content)
}

/// `2 batches by 2026-11-09`, `1 deposit at the bank`, `3 differences`.
fn waits_for(report: &DateReport<'_>, row: &SummaryRow) -> Vec<String> {
    let mut waits = Vec::new();
    let transit = report.in_transit.iter().filter(|one| one.merchant_id == row.merchant_id);
    let transit: Vec<_> = transit.collect();
    let kinds = [
        (&["batch"][..], "batch", "batches"),
        (&["payment", "refund"][..], "bank transfer", "bank transfers"),
        (&["held"][..], "transaction on hold", "transactions on hold"),
    ];
    for (kinds, one, many) in kinds {
        let own = transit.iter().filter(|row| kinds.contains(&row.kind.as_str()));
        let due: Vec<Option<NaiveDate>> = own.map(|row| row.due_date).collect();
        waits.extend(counted_by(&due, one, many));
    }
    let at_bank = |verdict: BankVerdict| {
        report.bank_matches.iter().filter(move |one| {
            one.merchant_id == row.merchant_id && one.verdict == verdict.as_str()
        })
    };
    let due: Vec<_> = at_bank(BankVerdict::Due).map(|one| one.due_date).collect();
    waits.extend(counted_by(&due, "deposit at the bank", "deposits at the bank"));
    let awaited: Vec<_> = at_bank(BankVerdict::AwaitingStatement).map(|_| None).collect();
    waits.extend(counted_by(&awaited, "bank statement line", "bank statement lines"));
    let open = report.discrepancies.iter().filter(|one| {
        is_open(one, report.business_date)
            && one.severity >= Severity::Warning
            && one.merchant_id == row.merchant_id
    });
    let open = open.count() as u64;
    if open > 0 {
        waits.push(counted(open, "difference", "differences"));
    }
    waits
}

/// The number of entries, and the last due date if it is known for all.
fn counted_by(due: &[Option<NaiveDate>], one: &str, many: &str) -> Option<String> {
    if due.is_empty() {
        return None;
    }
    let number = counted(due.len() as u64, one, many);
    let dates: Option<BTreeSet<NaiveDate>> = due.iter().copied().collect();
    Some(match dates.and_then(|dates| dates.last().copied()) {
        Some(last) => format!("{number} by {last}"),
        None => number,
    })
}
