//! The text file that Prometheus' node exporter collects: written whole under another name and
//! renamed. Values that a failed run does not renew (the last success, the figures of the last
//! reconciled date) are kept from the earlier file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use chrono::NaiveDate;

use super::message::{DateNotice, Notice, has_finished};
use tieout_report::ReportError;
use tieout_report::atomic;
use tieout_store::NewestDay;

/// A larger metrics file was not written by this program.
const SIZE_LIMIT_BYTES: u64 = 1024 * 1024;

/// Name, type and help of every metric, in the order of the file.
const METRICS: &[(&str, &str)] = &[
    ("tieout_last_run_timestamp_seconds", "When the last run ended, with any result."),
    ("tieout_last_run_exit_code", "How the last run ended; the exit code of the program."),
    ("tieout_last_run_duration_seconds", "How long the last run took."),
    ("tieout_last_run_requests", "Requests that the last run sent to the API."),
    ("tieout_last_success_timestamp_seconds", "When a run was last done, in whole or in part."),
    ("tieout_last_complete_timestamp_seconds", "When a run was last evaluated in full."),
    (
        "tieout_business_date_timestamp_seconds",
        "The newest business date reconciled, midnight UTC.",
    ),
    ("tieout_records", "Distinct records received for that date."),
    ("tieout_discrepancies", "New and open discrepancies of that date."),
    ("tieout_money_at_risk", "Absolute differences of open discrepancies, in major units."),
    ("tieout_incomplete_listings", "Listings of that date that could not be read whole."),
    ("tieout_checks_not_evaluated", "Checks of that date that could not be made."),
    ("tieout_rows_quarantined", "Rows of the books that were left out."),
    (
        "tieout_newest_file_day_timestamp_seconds",
        "The newest day in the files of a ledger or a bank, midnight UTC.",
    ),
    ("tieout_dates_not_run", "Dates between others that were never reconciled."),
    ("tieout_overdue_money", "Money that was due and has not arrived, in major units."),
    (
        "tieout_oldest_error_timestamp_seconds",
        "When the oldest error that is open was first seen, midnight UTC.",
    ),
];

/// Metrics that every run sets, even a failed one; the others then keep their last value.
const OF_EVERY_RUN: usize = 4;

/// Lines by metric: label set to value.
type Samples = BTreeMap<&'static str, Vec<(String, String)>>;

/// Writes the file; its earlier content is read first.
///
/// # Errors
/// When the file cannot be written.
pub(super) fn write(path: &Path, notice: &Notice) -> Result<(), ReportError> {
    let earlier = earlier(path);
    atomic::write_shared_file(path, text(notice, &earlier).as_bytes())
}

/// The whole text; `earlier` is the text that it replaces, or empty.
pub fn text(notice: &Notice, earlier: &str) -> String {
    let mut samples = kept(earlier);
    for (metric, lines) in current(notice) {
        samples.insert(metric, lines);
    }
    written(&samples)
}

/// The text of what a store knows of its newest date: not how long its run took, nor what it asked.
pub fn recalled(notice: &Notice) -> String {
    let mut samples = current(notice);
    samples.retain(|metric, _| ![METRICS[2].0, METRICS[3].0].contains(metric));
    written(&samples)
}

fn written(samples: &Samples) -> String {
    let mut text = String::new();
    for (metric, help) in METRICS {
        let Some(lines) = samples.get(metric).filter(|lines| !lines.is_empty()) else { continue };
        // Writing into a String cannot fail.
        let _ = writeln!(text, "# HELP {metric} {help}\n# TYPE {metric} gauge");
        for (labels, value) in lines {
            let _ = writeln!(text, "{metric}{labels} {value}");
        }
    }
    text
}

fn current(notice: &Notice) -> Samples {
    let plain = |value: String| vec![(String::new(), value)];
    let mut samples = Samples::new();
    samples.insert(METRICS[0].0, plain(notice.ended.timestamp().to_string()));
    samples.insert(METRICS[1].0, plain(notice.exit_code.to_string()));
    let (seconds, thousandths) = (notice.duration_ms / 1000, notice.duration_ms % 1000);
    samples.insert(METRICS[2].0, plain(format!("{seconds}.{thousandths:03}")));
    samples.insert(METRICS[3].0, plain(notice.requests.to_string()));
    let done: Vec<&DateNotice> = notice.dates.iter().filter(|date| date.error.is_none()).collect();
    if has_finished(notice.exit) {
        samples.insert(METRICS[4].0, plain(notice.ended.timestamp().to_string()));
        let is_whole = done.len() == notice.dates.len()
            && done.iter().all(|date| date.not_evaluated == 0 && date.incomplete_listings == 0);
        if is_whole {
            samples.insert(METRICS[5].0, plain(notice.ended.timestamp().to_string()));
        }
    }
    if !notice.files.is_empty() {
        let line = |one: &NewestDay| {
            let labels = format!("{{kind=\"{}\",name=\"{}\"}}", one.kind, label(&one.name));
            (labels, midnight(one.day))
        };
        samples.insert(METRICS[13].0, notice.files.iter().map(line).collect());
    }
    if let Some(missed) = notice.missed {
        samples.insert(METRICS[14].0, plain(missed.to_string()));
    }
    if let Some(date) = done.last() {
        samples.insert(METRICS[6].0, plain(midnight(date.business_date)));
        samples.insert(METRICS[7].0, plain(date.records.to_string()));
        samples.insert(METRICS[8].0, discrepancies(date));
        samples.insert(METRICS[9].0, money(&date.money_at_risk));
        samples.insert(METRICS[10].0, plain(date.incomplete_listings.to_string()));
        samples.insert(METRICS[11].0, plain(date.not_evaluated.to_string()));
        samples.insert(METRICS[12].0, plain(date.quarantined.to_string()));
        // Without overdue money or open errors there is no line that an alert could match.
        samples.insert(METRICS[15].0, money(&date.overdue));
        let oldest = date.oldest_error.map(|day| plain(midnight(day)));
        samples.insert(METRICS[16].0, oldest.unwrap_or_default());
    }
    samples
}

fn money(by_code: &BTreeMap<String, String>) -> Vec<(String, String)> {
    let labelled = |(currency, amount): (&String, &String)| {
        (format!("{{currency=\"{}\"}}", label(currency)), amount.clone())
    };
    by_code.iter().map(labelled).collect()
}

fn midnight(day: NaiveDate) -> String {
    day.and_time(chrono::NaiveTime::MIN).and_utc().timestamp().to_string()
}

/// One line for each code and status. Without discrepancies there is one line with zero, so that an
/// alert can distinguish "none found" from "unknown".
fn discrepancies(date: &DateNotice) -> Vec<(String, String)> {
    let line = |code: &str, severity: &str, status: &str, count: u64| {
        let labels =
            format!("{{code=\"{}\",severity=\"{severity}\",status=\"{status}\"}}", label(code));
        (labels, count.to_string())
    };
    if date.discrepancies.is_empty() {
        return vec![line("none", "none", "none", 0)];
    }
    date.discrepancies
        .iter()
        .flat_map(|count| {
            [
                line(&count.code, count.severity, "new", count.new),
                line(&count.code, count.severity, "open", count.open),
            ]
        })
        .collect()
}

/// A label's value in the exposition format.
fn label(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

fn earlier(path: &Path) -> String {
    match std::fs::metadata(path) {
        Ok(facts) if facts.len() <= SIZE_LIMIT_BYTES => {
            std::fs::read_to_string(path).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// The samples of an earlier text that a run without results keeps.
fn kept(earlier: &str) -> Samples {
    let mut samples = Samples::new();
    for line in earlier.lines() {
        let Some((name, value)) = line.rsplit_once(' ') else { continue };
        let metric = name.split('{').next().unwrap_or_default();
        let known = METRICS.iter().skip(OF_EVERY_RUN).find(|(known, _)| *known == metric);
        if let Some((known, _)) = known {
            let labels = name[metric.len()..].to_owned();
            samples.entry(known).or_default().push((labels, value.to_owned()));
        }
    }
    samples
}
