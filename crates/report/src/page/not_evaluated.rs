//! The checks that could not be evaluated: a line for each cause, with its remedy, the checks and
//! records concerned, and the money behind them.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use maud::{Markup, html};

use super::markup::{foreign, paragraph, sums};
use super::shell::section;
use super::table::{Head, figure, table, text};
use super::words::{self, counted, list};
use crate::totals::Sums;
use crate::{DateReport, PeriodReport};
use tieout_model::money::{Currency, Minor};
use tieout_model::{
    BatchRow, DepositRow, MerchantId, NotEvaluated, ReportedCheck, ReportedChecks, Verdict,
};

/// Maximum number of lines of the table; the manifest has all.
const MAX_LINES: usize = 50;
/// Maximum number of checks that a line names.
const MAX_NAMES: usize = 8;

/// Objects that a configuration names: entries about the same one have the same cause, regardless
/// of their other words.
const CONFIGURED: [&str; 1] = ["terminal"];

/// Entries that the same remedy ends.
pub(crate) struct Cause<'a> {
    pub reason: String,
    pub remedy: &'a str,
    pub entries: Vec<&'a NotEvaluated>,
}

/// The rows of a report from which the money of each cause is added up.
struct Rows<'a> {
    checks: &'a ReportedChecks,
    deposits: &'a [DepositRow],
    batches: &'a [BatchRow],
    /// Merchant, items amount, and currency.
    sold: Vec<(&'a MerchantId, Option<Minor>, Option<Currency>)>,
}

/// The section of a date; empty if everything was evaluated.
pub(super) fn of_date(report: &DateReport<'_>) -> Markup {
    let rows = Rows {
        checks: &report.checks,
        deposits: &report.deposits,
        batches: &report.batches,
        sold: report
            .summary
            .iter()
            .map(|row| (&row.merchant_id, row.items_amount, row.currency))
            .collect(),
    };
    let entries: Vec<&NotEvaluated> = report.run.checks.not_evaluated.iter().collect();
    section_of(&entries, &rows, &report.business_date.to_string(), "paid out, batched or sold")
}

/// The section of a period; empty if everything was evaluated on each of its dates.
pub(super) fn of_period(report: &PeriodReport) -> Markup {
    let rows = Rows {
        checks: &report.checks,
        deposits: &report.deposits,
        batches: &[],
        sold: report
            .merchants
            .iter()
            .map(|row| (&row.merchant_id, row.items_amount, row.currency))
            .collect(),
    };
    let is_open = |date: &NaiveDate| !report.not_evaluated[date].is_empty();
    let mut dates = report.not_evaluated.keys().filter(|date| is_open(date));
    let again = match (dates.next(), dates.next_back()) {
        (Some(first), Some(last)) => format!("{first}..{last}"),
        (Some(only), None) => only.to_string(),
        _ => return Markup::default(),
    };
    let entries: Vec<&NotEvaluated> = report.not_evaluated.values().flatten().collect();
    section_of(&entries, &rows, &again, "paid out or sold")
}

fn section_of(entries: &[&NotEvaluated], rows: &Rows<'_>, again: &str, of: &str) -> Markup {
    const HEADS: [Head; 4] =
        [text("Why"), text("Remedy"), text("Checks and merchants"), figure("Money")];
    if entries.is_empty() {
        return Markup::default();
    }
    let causes = causes(entries.iter().copied());
    let lines = causes.iter().take(MAX_LINES).map(|cause| {
        let remedy = match cause.remedy {
            "" => format!(
                "Run the date again: tieout run --date {again}. The processor must add data that \
                 it leaves out."
            ),
            remedy => remedy.to_owned(),
        };
        [
            foreign(&cause.reason).into(),
            foreign(&remedy).into(),
            rests(cause).into(),
            money(rows, cause).into(),
        ]
    });
    let content = html! {
        (table("cards untold", "A line for each cause", &HEADS, lines))
        @if causes.len() > MAX_LINES {
            (paragraph("note", &format!(
                "The first {MAX_LINES} of {} causes; run.json has all.", causes.len()
            )))
        }
        (paragraph("note", &format!(
            "Discrepancies of these checks are neither reported nor cleared. Money is the amount \
             {of} by the merchants concerned with the verdict not evaluated; one amount can \
             depend on several causes."
        )))
    };
    section("untold", "Not evaluated", &content)
}

/// The entries by cause, the cause with most entries first.
pub(crate) fn causes<'a>(entries: impl IntoIterator<Item = &'a NotEvaluated>) -> Vec<Cause<'a>> {
    let mut causes: BTreeMap<(&'a str, String), Vec<&'a NotEvaluated>> = BTreeMap::new();
    for entry in entries {
        let shape = shape(&entry.reason);
        causes.entry((&entry.remedy, shape)).or_default().push(entry);
    }
    let mut causes: Vec<Cause<'a>> = causes
        .into_iter()
        .map(|((remedy, _), entries)| Cause { reason: reason(&entries), remedy, entries })
        .collect();
    causes.sort_by(|one, other| {
        other.entries.len().cmp(&one.entries.len()).then_with(|| one.reason.cmp(&other.reason))
    });
    causes
}

/// The part of a reason that all entries of its cause share: the name of the configured object,
/// else the words without dates and without numbers of single records.
fn shape(reason: &str) -> String {
    let words: Vec<&str> = reason.split(' ').collect();
    let named = words.windows(2).find(|pair| CONFIGURED.contains(&pair[0]));
    if let Some(pair) = named {
        return pair.join(" ").trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned();
    }
    let shaped = words.iter().map(|word| if is_number(word) { "…" } else { word });
    shaped.collect::<Vec<_>>().join(" ")
}

/// Whether the word is a date or the number of a record.
fn is_number(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit()) && !word.contains('"')
}

/// The reasons of the entries in one sentence: dates as a span, different record numbers left out.
/// If the words differ, those of the first entry.
fn reason(entries: &[&NotEvaluated]) -> String {
    let Some(first) = entries.first() else { return String::new() };
    let first: Vec<&str> = first.reason.split(' ').collect();
    let others: Vec<Vec<&str>> = entries
        .iter()
        .map(|entry| entry.reason.split(' ').collect::<Vec<_>>())
        .filter(|words| words.len() == first.len())
        .collect();
    let word = |(position, word): (usize, &&str)| {
        let all: BTreeSet<&str> = others.iter().map(|words| words[position]).collect();
        if all.len() == 1 || !is_number(word) {
            return (*word).to_owned();
        }
        let date = |word: &str| word.trim_end_matches([',', ':', '.']).parse::<NaiveDate>().ok();
        let dates: BTreeSet<NaiveDate> = all.iter().filter_map(|word| date(word)).collect();
        match (dates.first(), dates.last()) {
            (Some(first), Some(last)) => format!("{first}..{last}"),
            _ => "…".to_owned(),
        }
    };
    first.iter().enumerate().map(word).collect::<Vec<_>>().join(" ")
}

/// `3 checks (…) of 2 merchants; 80 records`.
fn rests(cause: &Cause<'_>) -> Markup {
    let codes: BTreeSet<&str> = cause.entries.iter().map(|entry| entry.code.as_str()).collect();
    let merchants = merchants(cause);
    let records: BTreeSet<(&MerchantId, &str)> = cause
        .entries
        .iter()
        .filter(|entry| !entry.scope.is_empty())
        .map(|entry| (&entry.merchant_id, entry.scope.as_str()))
        .collect();
    let names: Vec<String> =
        codes.iter().take(MAX_NAMES).map(|code| words::title_of(code)).collect();
    let names = match codes.len() - names.len() {
        0 => list(&names),
        more => format!("{} and {more} more", names.join(", ")),
    };
    let of = match merchants.first() {
        Some(id) if id.is_empty() => "of every merchant".to_owned(),
        Some(id) if merchants.len() == 1 => format!("of merchant {id}"),
        _ => format!("of {} merchants", merchants.len()),
    };
    html! {
        (foreign(&format!("{} {of}", counted(codes.len() as u64, "check", "checks"))))
        @if !records.is_empty() { "; " (counted(records.len() as u64, "record", "records")) }
        p.means { (foreign(&names)) }
    }
}

/// The merchants concerned; the empty id stands for all.
fn merchants<'a>(cause: &Cause<'a>) -> BTreeSet<&'a MerchantId> {
    cause.entries.iter().map(|entry| &entry.merchant_id).collect()
}

/// For the merchants concerned: the deposits and batches that were not evaluated, and everything sold
/// where a check of the ledger was not.
fn money(rows: &Rows<'_>, cause: &Cause<'_>) -> Markup {
    let merchants = merchants(cause);
    let is_meant = |id: &MerchantId| merchants.contains(MerchantId::NONE) || merchants.contains(id);
    let checks: Vec<_> = cause.entries.iter().map(|entry| rows.checks.of(&entry.code)).collect();
    let rests_on = |names: fn(&ReportedCheck) -> bool| checks.iter().any(|one| names(one));
    let (mut paid, mut batched, mut sold) = (Sums::default(), Sums::default(), Sums::default());
    if rests_on(|check| check.names_deposit) {
        let meant = rows.deposits.iter().filter(|row| is_meant(&row.merchant_id));
        meant
            .filter(|row| row.verdict == Verdict::NotEvaluated)
            .for_each(|row| paid.add(row.net_amount, row.currency));
    }
    if rests_on(|check| check.names_batch) {
        let meant = rows.batches.iter().filter(|row| is_meant(&row.merchant_id));
        for row in meant.filter(|row| row.verdict == Verdict::NotEvaluated) {
            let amount = row.sale_amount.zip(row.return_amount);
            batched
                .add(amount.and_then(|(sales, returns)| sales.checked_sub(returns)), row.currency);
        }
    }
    if rests_on(|check| check.is_for_ledger) {
        for (_, amount, currency) in rows.sold.iter().filter(|one| is_meant(one.0)) {
            if currency.is_some() {
                sold.add(*amount, *currency);
            }
        }
    }
    let parts = [("paid out", &paid), ("batched", &batched), ("sold", &sold)];
    let parts: Vec<_> = parts.into_iter().filter(|(_, sums)| !sums.is_empty()).collect();
    html! {
        @if parts.is_empty() { "not known" }
        @for (position, (name, amounts)) in parts.iter().enumerate() {
            @if position > 0 { br; }
            (name) br; (sums(amounts))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(scope: &str, reason: &str) -> NotEvaluated {
        NotEvaluated {
            code: "A_CHECK".to_owned(),
            merchant_id: "1".into(),
            scope: scope.to_owned(),
            reason: reason.to_owned(),
            remedy: String::new(),
        }
    }

    #[test]
    fn says_one_cause_once() {
        let entries = [
            entry("1", "payment P1 is of terminal 77, which the configuration does not name"),
            entry("2", "payment P2 is of terminal 77, which the configuration does not name"),
            entry("3", "payment P3 is of terminal 78, which the configuration does not name"),
            entry("4", "batch 4 of 2026-11-03 names no currency"),
            entry("5", "batch 5 of 2026-11-05 names no currency"),
        ];
        let reasons: Vec<String> = causes(&entries).into_iter().map(|one| one.reason).collect();
        let expected = [
            "batch … of 2026-11-03..2026-11-05 names no currency",
            "payment … is of terminal 77, which the configuration does not name",
            "payment P3 is of terminal 78, which the configuration does not name",
        ];
        assert_eq!(reasons, expected);
    }
}
