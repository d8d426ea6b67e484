//! The summary after a run, as aligned text or as JSON. Shows the contents of the reports and adds
//! no figure of its own.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::path::Path;

use chrono::NaiveDate;
use serde::{Serialize, Serializer};

use super::aligned::{AlignedTable, Colour, Side, Styled, counted, printable, wrapped};
use super::headline::{OpenCounts, Owed, open_counts, owed};
use super::page::not_evaluated::{Cause, causes};
use super::totals::verdict_of_date;
use super::{DateReport, MANIFEST_FILE, order};
use tieout_model::money::{Currency, Minor, grouped};
use tieout_model::{
    Discrepancy, DiscrepancyStatus, Figure, MerchantId, Severity, SummaryRow, Verdict,
};

/// Maximum number of discrepancies of a date in the text; the CSV and the JSON have all.
const MAX_LISTED: usize = 50;

/// Columns of the longest verdict.
const VERDICT_WIDTH: usize = 13;

/// The results of one business date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DateSummary {
    pub business_date: NaiveDate,
    /// The worst of the merchants' verdicts; not evaluated if a check could not be evaluated.
    #[serde(serialize_with = "verdict_word")]
    pub verdict: Verdict,
    /// The verdict by the new findings of the date.
    #[serde(serialize_with = "verdict_word")]
    pub own_verdict: Verdict,
    /// The numbers of errors and warnings, as at the top of the page.
    pub open: OpenCounts,
    /// The money owed, as at the top of the page.
    pub owed: Vec<Owed>,
    pub cleared: u64,
    pub merchants: Vec<MerchantLine>,
    /// New and open ones, the most severe first.
    pub discrepancies: Vec<DiscrepancyLine>,
    pub not_evaluated: Vec<String>,
    /// The same for the text, by cause.
    #[serde(skip)]
    pub gaps: Vec<Gap>,
    pub warnings: Vec<String>,
    /// The folder of the reports.
    pub reports: String,
}

/// Checks of a date that could not be evaluated for one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    reason: String,
    /// Empty where only another run can end it.
    remedy: String,
    checks: u64,
}

/// One merchant and currency. Amounts are in major units; unknown figures are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MerchantLine {
    pub merchant_id: MerchantId,
    pub merchant_name: String,
    pub currency: Option<String>,
    #[serde(serialize_with = "verdict_word")]
    pub verdict: Verdict,
    pub deposits: Option<i64>,
    pub deposited_net: Option<String>,
    pub batches: Option<i64>,
    pub items: Option<i64>,
    pub in_transit_amount: Option<String>,
    pub opening: i64,
    pub new: i64,
    pub cleared: i64,
    pub closing: i64,
    pub closing_amount: Option<String>,
}

/// One new or open discrepancy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiscrepancyLine {
    pub discrepancy_id: String,
    pub code: String,
    pub severity: &'static str,
    pub status: &'static str,
    pub merchant_id: MerchantId,
    pub currency: Option<String>,
    /// In major units, or a plain number for a count.
    pub difference: Option<String>,
    pub age_days: u32,
    pub explanation: String,
    pub action: String,
    #[serde(skip)]
    pub merchant_name: String,
    /// The assignment, in words.
    #[serde(skip)]
    pub assigned: String,
}

impl DiscrepancyLine {
    /// The line of a row, with a status that later decisions have changed.
    pub fn of(row: &Discrepancy, status: &'static str) -> Self {
        Self { status, ..discrepancy_line(row) }
    }

    /// `-1,205.00 USD`, or a count alone; `None` if it is unknown.
    pub fn money(&self) -> Option<String> {
        let difference = grouped(self.difference.as_ref()?);
        Some(match &self.currency {
            Some(currency) => format!("{difference} {currency}"),
            None => difference,
        })
    }

    /// Level, status, age and merchant.
    fn about(&self) -> String {
        let age = match self.age_days {
            0 => String::new(),
            days => format!(", {}", counted(days, "banking day", "banking days")),
        };
        let merchant = format!("merchant {} {}", self.merchant_id, self.merchant_name);
        let merchant = if self.merchant_id.is_empty() { "" } else { merchant.trim_end() };
        let parts = [&format!("{}, {}{age}", self.severity, self.status), merchant];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

/// Discrepancies for a terminal: id, code and difference of each, and below it the rest.
pub fn findings(lines: &[DiscrepancyLine]) -> AlignedTable {
    let mut table = AlignedTable::new(&[
        ("id", Side::Left),
        ("code", Side::Left),
        ("difference", Side::Right),
        ("", Side::Below),
        ("", Side::Below),
        ("", Side::Below),
    ]);
    for line in lines {
        let assigned = match line.assigned.as_str() {
            "" => String::new(),
            words => format!("assigned: {words}"),
        };
        table.push(vec![
            Styled::from(&line.discrepancy_id),
            Styled::new(&line.code, severity_colour(line.severity)),
            Styled::from(line.money().unwrap_or_default()),
            Styled::from(line.about()),
            Styled::from(assigned),
            Styled::from(&line.explanation),
        ]);
    }
    table
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for this signature")]
fn verdict_word<S: Serializer>(verdict: &Verdict, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(verdict.as_str())
}

/// Whether standard output shows colours: it is a terminal, and `NO_COLOR` is unset or empty.
pub fn is_coloured(no_color: Option<&str>) -> bool {
    no_color.is_none_or(str::is_empty) && std::io::stdout().is_terminal()
}

/// The new errors of a date, at most `limit`.
pub fn new_errors(report: &DateReport<'_>, limit: usize) -> Vec<DiscrepancyLine> {
    let is_new = |row: &&Discrepancy| {
        row.status == DiscrepancyStatus::New && row.severity == Severity::Error
    };
    let rows = order::discrepancies(&report.discrepancies).into_iter().filter(is_new);
    rows.take(limit).map(discrepancy_line).collect()
}

/// The summary of a date whose reports are in `folder`.
pub fn summarize(report: &DateReport<'_>, folder: &Path) -> DateSummary {
    let merchants: Vec<MerchantLine> =
        order::summary(&report.summary).into_iter().map(merchant_line).collect();
    let listed = |row: &&Discrepancy| row.status != DiscrepancyStatus::Cleared;
    let checks = &report.run.checks.not_evaluated;
    DateSummary {
        business_date: report.business_date,
        verdict: verdict_of_date(&report.summary, &report.run),
        own_verdict: report.own_verdict(),
        open: open_counts(report),
        owed: owed(report),
        gaps: causes(checks).iter().map(gap).collect(),
        cleared: report.run.discrepancies.cleared.count,
        discrepancies: order::discrepancies(&report.discrepancies)
            .into_iter()
            .filter(listed)
            .map(discrepancy_line)
            .collect(),
        merchants,
        not_evaluated: checks
            .iter()
            .map(|check| {
                let about = [check.code.as_str(), check.merchant_id.as_str(), &check.scope];
                let about: Vec<&str> = about.into_iter().filter(|part| !part.is_empty()).collect();
                format!("{}: {}", about.join(" "), check.reason)
            })
            .collect(),
        warnings: report.run.warnings.clone(),
        reports: folder.display().to_string(),
    }
}

fn gap(cause: &Cause<'_>) -> Gap {
    let checks = cause.entries.len() as u64;
    Gap { reason: cause.reason.clone(), remedy: cause.remedy.to_owned(), checks }
}

fn merchant_line(row: &SummaryRow) -> MerchantLine {
    let amount = |amount| formatted(amount, row.currency);
    MerchantLine {
        merchant_id: row.merchant_id.clone(),
        merchant_name: row.merchant_name.clone(),
        currency: row.currency.map(|currency| currency.code().to_owned()),
        verdict: row.verdict,
        deposits: row.deposits,
        deposited_net: amount(row.deposited_net),
        batches: row.batches,
        items: row.items,
        in_transit_amount: amount(row.in_transit_amount),
        opening: row.opening,
        new: row.new,
        cleared: row.cleared,
        closing: row.closing,
        closing_amount: amount(row.closing_amount),
    }
}

fn discrepancy_line(row: &Discrepancy) -> DiscrepancyLine {
    let (currency, difference) = match row.figure {
        Figure::Count => (None, row.difference.map(|count| count.to_string())),
        Figure::Amount => (row.currency, formatted(row.difference.map(Minor), row.currency)),
    };
    DiscrepancyLine {
        discrepancy_id: row.discrepancy_id.clone(),
        code: row.code.clone(),
        severity: row.severity.as_str(),
        status: row.status.as_str(),
        merchant_id: row.merchant_id.clone(),
        currency: currency.map(|currency| currency.code().to_owned()),
        difference,
        age_days: row.age_days,
        explanation: row.explanation.clone(),
        action: row.action.clone(),
        merchant_name: row.merchant_name.clone(),
        assigned: row.assigned.in_words(),
    }
}

fn formatted(amount: Option<Minor>, currency: Option<Currency>) -> Option<String> {
    Some(currency?.format(amount?))
}

/// The level of detail of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// A line for each date, and its new discrepancies.
    New,
    /// Also each merchant, and all open discrepancies.
    All,
}

/// The summaries as text. A note that several dates share is printed once.
pub fn render(
    summaries: impl IntoIterator<Item = DateSummary>,
    detail: Detail,
    is_coloured: bool,
) -> String {
    let mut blocks: Vec<String> = Vec::new();
    // Only the notes of the dates are kept, not their merchants and discrepancies.
    let mut dates: Vec<DateSummary> = Vec::new();
    for date in summaries {
        let block = render_date(&date, detail, is_coloured);
        dates.push(DateSummary { merchants: vec![], discrepancies: vec![], ..date });
        // Dates without further text follow each other line by line.
        if detail == Detail::All && !blocks.is_empty() {
            blocks.push("\n".to_owned());
        }
        blocks.push(block);
    }
    let of_date = |notes: fn(&DateSummary) -> &[String]| {
        dates.iter().flat_map(move |date| notes(date).iter().map(move |note| (date, note.as_str())))
    };
    blocks.push(paragraph(&said_once("warning", of_date(|date| &date.warnings))));
    blocks.push(paragraph(&to_do(&dates)));
    blocks.concat()
}

/// The remedies, each once for all dates, with the checks that wait for it and the first cause.
fn to_do(dates: &[DateSummary]) -> Vec<String> {
    let mut remedies: Vec<(&str, Vec<(NaiveDate, &Gap)>)> = Vec::new();
    for (date, gap) in dates.iter().flat_map(|date| date.gaps.iter().map(move |gap| (date, gap))) {
        let found = (date.business_date, gap);
        match remedies.iter_mut().find(|(remedy, _)| *remedy == gap.remedy) {
            Some((_, gaps)) => gaps.push(found),
            None => remedies.push((&gap.remedy, vec![found])),
        }
    }
    let mut lines: Vec<String> = remedies.iter().take(MAX_LISTED).flat_map(of_remedy).collect();
    lines.extend(more(remedies.len(), MANIFEST_FILE));
    if !lines.is_empty() {
        lines.insert(0, "to do:\n".to_owned());
    }
    lines
}

fn of_remedy((remedy, gaps): &(&str, Vec<(NaiveDate, &Gap)>)) -> [String; 2] {
    let dates: BTreeSet<NaiveDate> = gaps.iter().map(|(date, _)| *date).collect();
    let reasons: BTreeSet<&str> = gaps.iter().map(|(_, gap)| gap.reason.as_str()).collect();
    let span = match (dates.first(), dates.last()) {
        (Some(first), Some(last)) if first != last => format!("{first}..{last}"),
        (first, _) => first.map(NaiveDate::to_string).unwrap_or_default(),
    };
    let remedy = match *remedy {
        "" => format!(
            "Run again: tieout run --date {span}. What the processor leaves out is for it to add."
        ),
        remedy => printable(remedy),
    };
    let checks = counted(gaps.iter().map(|(_, gap)| gap.checks).sum::<u64>(), "check", "checks");
    let on = match dates.len() {
        1 => span,
        many => format!("{many} dates"),
    };
    let cause = gaps.first().map(|(_, gap)| printable(&gap.reason)).unwrap_or_default();
    let others = match reasons.len() {
        0 | 1 => String::new(),
        many => format!("; and {}", counted(many as u64 - 1, "other cause", "other causes")),
    };
    let waits = format!("{checks} of {on} not evaluated: {cause}{others}");
    [wrapped(&remedy, "  "), wrapped(&waits, "    ")]
}

fn render_date(date: &DateSummary, detail: Detail, is_coloured: bool) -> String {
    let blanks = " ".repeat(VERDICT_WIDTH.saturating_sub(date.own_verdict.as_str().len()));
    let verdict = verdict_cell(date.own_verdict).painted(is_coloured);
    let mut parts =
        vec![format!("{}  {verdict}{blanks}  {}\n", date.business_date, counts_of(date))];
    if !date.owed.is_empty() {
        let owed: Vec<String> = date.owed.iter().map(Owed::in_words).collect();
        parts.push(wrapped(&owed.join("; "), "  "));
    }
    if !date.not_evaluated.is_empty() {
        let gaps = counted(date.not_evaluated.len() as u64, "check", "checks");
        parts.push(format!("  {gaps} not evaluated\n"));
    }
    if detail == Detail::All && !date.merchants.is_empty() {
        parts.push(merchant_table(&date.merchants).render("  ", is_coloured));
    }
    let mut lines: Vec<DiscrepancyLine> = date
        .discrepancies
        .iter()
        .filter(|line| detail == Detail::All || line.status == DiscrepancyStatus::New.as_str())
        .cloned()
        .collect();
    let count = lines.len();
    lines.truncate(MAX_LISTED);
    let mut discrepancies = vec![findings(&lines).render_rows("  ", is_coloured)];
    discrepancies.extend(more(count, "discrepancies.csv"));
    discrepancies.retain(|text| !text.is_empty());
    match detail {
        Detail::New => parts.extend(discrepancies),
        Detail::All => {
            parts.push(paragraph(&discrepancies));
            parts.push(format!("\n  reports: {}\n", printable(&date.reports)));
        }
    }
    parts.concat()
}

/// `1 new, 2 carried, 3 cleared`: errors and warnings, as the page counts them.
fn counts_of(date: &DateSummary) -> String {
    let count = |count: u64| grouped(&count.to_string());
    let OpenCounts { new, carried, accepted, .. } = date.open;
    let mut text =
        format!("{} new, {} carried, {} cleared", count(new), count(carried), count(date.cleared));
    if accepted > 0 {
        let _ = write!(text, ", {} accepted", count(accepted));
    }
    text
}

/// Each note once, with its dates.
fn said_once<'d>(
    label: &str,
    notes: impl Iterator<Item = (&'d DateSummary, &'d str)>,
) -> Vec<String> {
    let mut dates_of: Vec<(&str, Vec<NaiveDate>)> = Vec::new();
    for (date, note) in notes {
        match dates_of.iter_mut().find(|(known, _)| *known == note) {
            Some((_, dates)) => dates.push(date.business_date),
            None => dates_of.push((note, vec![date.business_date])),
        }
    }
    let line = |(note, dates): &(&str, Vec<NaiveDate>)| match dates[..] {
        [date] => wrapped(&format!("{label} on {date}: {}", printable(note)), ""),
        _ => wrapped(&format!("{label} on {} dates: {}", dates.len(), printable(note)), ""),
    };
    let mut lines: Vec<String> = dates_of.iter().take(MAX_LISTED).map(line).collect();
    lines.extend(more(dates_of.len(), MANIFEST_FILE));
    lines
}

/// The lines after an empty one; empty without lines.
fn paragraph(lines: &[String]) -> String {
    if lines.is_empty() { String::new() } else { format!("\n{}", lines.concat()) }
}

/// The remark if not all of `count` are listed.
fn more(count: usize, file: &str) -> Option<String> {
    let more = count.checked_sub(MAX_LISTED).filter(|more| *more > 0)?;
    Some(format!("  … and {more} more in {file}\n"))
}

fn merchant_table(lines: &[MerchantLine]) -> AlignedTable {
    use Side::{Below, Left, Right};
    let mut table = AlignedTable::new(&[
        ("merchant", Left),
        ("verdict", Left),
        ("currency", Left),
        ("new", Right),
        ("open", Right),
        ("open amount", Right),
        ("net", Right),
        ("in transit", Right),
        ("cleared", Right),
        ("deposits", Right),
        ("batches", Right),
        ("items", Right),
        ("", Below),
    ]);
    let count = |count: Option<i64>| Styled::from(count.map_or("?".to_owned(), |n| n.to_string()));
    let amount = |amount: &Option<String>| {
        Styled::from(amount.as_deref().map_or_else(|| "?".to_owned(), grouped))
    };
    for line in lines {
        table.push(vec![
            Styled::from(line.merchant_id.as_str()),
            verdict_cell(line.verdict),
            Styled::from(line.currency.as_deref().unwrap_or("?")),
            count(Some(line.new)),
            count(Some(line.closing)),
            amount(&line.closing_amount),
            amount(&line.deposited_net),
            amount(&line.in_transit_amount),
            count(Some(line.cleared)),
            count(line.deposits),
            count(line.batches),
            count(line.items),
            Styled::from(&line.merchant_name),
        ]);
    }
    table
}

/// The word of a verdict in its colour.
pub fn verdict_cell(verdict: Verdict) -> Styled {
    let colour = match verdict {
        Verdict::NotEvaluated => Colour::Yellow,
        Verdict::Discrepancy => Colour::Red,
        Verdict::InTransit => Colour::Blue,
        Verdict::Tied => Colour::Green,
    };
    Styled::new(verdict.as_str().replace('_', " "), colour)
}

fn severity_colour(severity: &str) -> Colour {
    match Severity::from_name(severity) {
        Some(Severity::Error) => Colour::Red,
        Some(Severity::Warning) => Colour::Yellow,
        _ => Colour::Plain,
    }
}
