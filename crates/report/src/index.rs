//! `index.html` in the root of the reports: every date there, newest first, read from the manifests
//! beside the pages. It is the same for dates written by a run, a shard or a merge.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

use chrono::NaiveDate;

use super::atomic;
use super::date_report::DateReport;
use super::error::ReportError;
use super::files::PAGE_FILE;
use super::headline::Headline;
use super::manifest::{IndexedDate, MANIFEST_FILE};
use super::page::index_page;
use super::period::PERIODS_FOLDER;
use super::totals::{Sums, final_until, verdict_of_date};
use tieout_config::ReportFormat;
use tieout_model::money::Minor;
use tieout_model::{Amount, DateStanding};

/// The index's name.
pub const INDEX_FILE: &str = "index.html";

/// The state of a date, from its rows.
pub(super) fn standing_of(report: &DateReport<'_>) -> DateStanding {
    let headline = Headline::of(report.into());
    let mut owed = BTreeMap::new();
    for (name, part) in headline.parts() {
        owed.insert(name.to_owned(), by_code(&part.all));
    }
    DateStanding {
        verdict: verdict_of_date(&report.summary, &report.run).as_str().to_owned(),
        errors: headline.errors.count,
        warnings: headline.warnings.count,
        notes: headline.notes.count,
        in_question: by_code(&headline.in_question),
        final_until: final_until(&report.summary),
        time_zone: report.merchant_zone.map(|zone| zone.name().to_owned()),
        own_verdict: report.own_verdict().as_str().to_owned(),
        new: headline.are_new(),
        carried: headline.carried(),
        carried_since: headline.carried_since,
        owed,
    }
}

fn by_code(sums: &Sums) -> BTreeMap<String, Amount> {
    let sums = sums.iter().filter_map(|(currency, sum)| {
        let sum = Minor(i64::try_from(sum).ok()?);
        Some((currency.code().to_owned(), Amount::new(sum, currency)))
    });
    sums.collect()
}

/// Writes the index of `dir`, if pages are written at all. `missed` are dates between others that
/// were not run; if one has a page, another store wrote it.
///
/// # Errors
/// When the folder cannot be read or the file cannot be written.
pub fn write_index(
    dir: &Path,
    formats: &BTreeSet<ReportFormat>,
    missed: &[NaiveDate],
) -> Result<(), ReportError> {
    if !formats.contains(&ReportFormat::Html) {
        return Ok(());
    }
    let unreadable = |source| ReportError::Folder { path: dir.to_owned(), source };
    let mut dates = Vec::new();
    for name in names_in(dir).map_err(unreadable)? {
        if name.parse::<NaiveDate>().is_ok() {
            dates.extend(indexed(&dir.join(&name)));
        }
    }
    if dates.is_empty() {
        return Ok(());
    }
    dates.sort_by_key(|date: &IndexedDate| std::cmp::Reverse(date.business_date));
    let has_page = |day: &&NaiveDate| dates.iter().any(|date| date.business_date == **day);
    let missed: Vec<NaiveDate> = missed.iter().filter(|day| !has_page(day)).copied().collect();
    let mut periods = names_in(&dir.join(PERIODS_FOLDER)).map_err(unreadable)?;
    periods.retain(|name| dir.join(PERIODS_FOLDER).join(name).join(PAGE_FILE).exists());
    periods.sort_by(|one, other| other.cmp(one));
    atomic::write_file(&dir.join(INDEX_FILE), index_page(&dates, &missed, &periods).as_bytes())
}

/// The entries of a folder; none if it does not exist.
fn names_in(dir: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// The content of a folder's manifest; `None` if the folder has no page or the manifest cannot be
/// read. `verify` reports these.
fn indexed(folder: &Path) -> Option<IndexedDate> {
    if !folder.join(PAGE_FILE).exists() {
        return None;
    }
    serde_json::from_slice(&atomic::read(&folder.join(MANIFEST_FILE)).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample::{matches, sample};
    use crate::write_date;

    #[test]
    fn lists_the_dates_of_the_folder_newest_first() {
        let folder = tempfile::tempdir().unwrap();
        let formats = [ReportFormat::Html].into();
        for date in ["2026-11-19", "2026-11-20"] {
            let mut report = sample();
            report.business_date = date.parse().unwrap();
            report.run.business_date = report.business_date;
            write_date(folder.path(), &report, &matches(), &formats).unwrap();
        }
        write_index(folder.path(), &formats, &[]).unwrap();
        let page = fs::read_to_string(folder.path().join(INDEX_FILE)).unwrap();
        // The calendar precedes the table and is ordered by week.
        let (calendar, page) = page.split_once("id=\"dates\"").unwrap();
        assert!(calendar.contains("November 2026") && calendar.contains("2026-11-20/report.html"));
        let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}"));
        assert!(place("2026-11-20/report.html") < place("2026-11-19/report.html"));
        assert!(!page.contains("<script>\n</script>"));
        // Both dates name the one time zone of their merchants.
        let cut_off = "up to and including <time>2026-11-20</time>";
        assert!(page.contains(cut_off) && page.contains("of the time zone UTC."), "{page}");
        // A third date, of merchants in several zones.
        let mut report = DateReport { merchant_zone: None, ..sample() };
        report.business_date = "2026-11-21".parse().unwrap();
        report.run.business_date = report.business_date;
        write_date(folder.path(), &report, &matches(), &formats).unwrap();
        write_index(folder.path(), &formats, &[]).unwrap();
        let page = fs::read_to_string(folder.path().join(INDEX_FILE)).unwrap();
        assert!(page.contains("as each merchant&#39;s") || page.contains("as each merchant's"));
    }

    #[test]
    fn shows_dates_that_were_missed_in_their_place() {
        let folder = tempfile::tempdir().unwrap();
        let formats = [ReportFormat::Html].into();
        for date in ["2026-11-17", "2026-11-20"] {
            let mut report = sample();
            report.business_date = date.parse().unwrap();
            report.run.business_date = report.business_date;
            write_date(folder.path(), &report, &matches(), &formats).unwrap();
        }
        // Another store has the report of the 20th.
        let missed = ["2026-11-18", "2026-11-19", "2026-11-20"].map(|day| day.parse().unwrap());
        write_index(folder.path(), &formats, &missed).unwrap();
        let page = fs::read_to_string(folder.path().join(INDEX_FILE)).unwrap();
        let (calendar, table) = page.split_once("id=\"dates\"").unwrap();
        assert_eq!(calendar.matches("title=\"not run\"").count(), 2, "{calendar}");
        assert_eq!(table.matches("</span> not run").count(), 2, "{table}");
        let place = |text: &str| table.find(text).unwrap_or_else(|| panic!("{text}"));
        assert!(place("2026-11-20/report.html") < place("<time>2026-11-19</time>"));
        assert!(place("<time>2026-11-18</time>") < place("2026-11-17/report.html"));
        assert!(!page.contains("2026-11-18/report.html"));
    }

    #[test]
    fn writes_none_without_pages() {
        let folder = tempfile::tempdir().unwrap();
        write_index(folder.path(), &[ReportFormat::Html].into(), &[]).unwrap();
        write_date(folder.path(), &sample(), &matches(), &[ReportFormat::Csv].into()).unwrap();
        write_index(folder.path(), &[ReportFormat::Csv].into(), &[]).unwrap();
        assert!(!folder.path().join(INDEX_FILE).exists());
    }
}
