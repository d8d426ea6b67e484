//! The result of verifying one folder, and the manifest that its files are compared with.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use chrono::NaiveDate;

use super::error::VerifyError;
use crate::night::NightError;
use tieout_model::digest::sha256_hex;
use tieout_report::{
    MANIFEST_FILE, PERIOD_MANIFEST_FILE, PERIODS_FOLDER, SIGNATURE_ENDING, WORKBOOK_FILE, atomic,
};
use tieout_store::{Act, Store, trail};

/// The result of verifying the folder of one business date or of one period.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Verified {
    pub folder: PathBuf,
    pub business_date: Option<NaiveDate>,
    /// `2026-11-01..2026-11-07`; `None` for a business date.
    pub period: Option<String>,
    /// The problems found, one sentence each; empty when everything agrees.
    pub problems: Vec<String>,
    /// Whether its sign-off was interrupted, so that its files do not show it yet.
    #[serde(rename = "interrupted")]
    pub is_interrupted: bool,
    /// Whether a run that is going on may be writing its files.
    #[serde(skip)]
    pub is_being_written: bool,
    /// Pages that can no longer be verified, as retention has removed them.
    pub pruned_pages: usize,
    /// Records verified against the pages.
    pub records_proved: u64,
    pub files: usize,
    /// The hash of the last row of the audit trail.
    pub audit_head: String,
}

impl Verified {
    pub(super) fn of(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            business_date: date_of(folder),
            period: period_of(folder),
            problems: Vec::new(),
            is_interrupted: false,
            is_being_written: false,
            pruned_pages: 0,
            records_proved: 0,
            files: 0,
            audit_head: String::new(),
        }
    }
}

pub(super) fn date_of(path: &Path) -> Option<NaiveDate> {
    path.file_name()?.to_str()?.parse().ok()
}

/// `2026-11-01..2026-11-07` when the folder has such a name.
pub(super) fn period_of(folder: &Path) -> Option<String> {
    let name = folder.file_name()?.to_str()?;
    let (first, last) = name.split_once("..")?;
    let is_date = |text: &str| text.parse::<NaiveDate>().is_ok();
    (is_date(first) && is_date(last)).then(|| name.to_owned())
}

/// The folders of dates and periods in `dir`, or `dir` itself where it is one.
pub(super) fn folders(dir: &Path) -> Result<Vec<PathBuf>, VerifyError> {
    // A date's or period's folder without its manifest is a problem to report; a folder without any
    // reports is an error of the call.
    let is_one = date_of(dir).is_some() || period_of(dir).is_some();
    if is_one || dir.join(MANIFEST_FILE).exists() || dir.join(PERIOD_MANIFEST_FILE).exists() {
        return Ok(vec![dir.to_owned()]);
    }
    let mut folders = subfolders(dir, |path| date_of(path).is_some())?;
    let is_period = |path: &Path| period_of(path).is_some();
    folders.extend(subfolders(dir, is_period)?);
    let periods = dir.join(PERIODS_FOLDER);
    if periods.is_dir() {
        folders.extend(subfolders(&periods, is_period)?);
    }
    if folders.is_empty() {
        return Err(VerifyError::NoReports { dir: dir.to_owned() });
    }
    Ok(folders)
}

fn subfolders(dir: &Path, is_wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, VerifyError> {
    let unreadable = |source| VerifyError::Unreadable { path: dir.to_owned(), source };
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() && is_wanted(&path) {
            folders.push(path);
        }
    }
    folders.sort();
    Ok(folders)
}

/// A manifest and its subject in the audit trail.
pub(super) struct Manifest<'name> {
    pub(super) name: &'static str,
    pub(super) subject: &'name str,
}

impl Manifest<'_> {
    /// Checks that the audit trail lists this manifest for its subject. Returns a sentence when
    /// another one was written since: this one may be a copy, or list another format of the same
    /// results.
    pub(super) fn is_a_written_one(
        &self,
        store: &Store,
        digest: &str,
        problems: &mut Vec<String>,
    ) -> Result<Option<String>, NightError> {
        let Self { name, subject } = self;
        let acts = trail::acts_about(store, subject)?;
        let written: Vec<_> = acts.iter().filter(|act| act.act == Act::Report.as_str()).collect();
        let later = match written.iter().rposition(|act| act.note == digest) {
            None => {
                problems.push(format!(
                    "{name} was altered: the audit trail has no manifest of {subject} with the \
                     digest {digest}"
                ));
                None
            }
            Some(index) if index + 1 < written.len() => Some(format!(
                "{name} was written {}, and {subject} was reported again {}",
                written[index].moment,
                written[written.len() - 1].moment
            )),
            Some(_) => None,
        };
        Ok(later)
    }

    /// Checks that the folder contains exactly the files that the manifest names. For an altered
    /// workbook, `explain` may describe the change, given the expected digest.
    pub(super) fn files(
        &self,
        folder: &Path,
        named: &BTreeMap<String, String>,
        explain: impl Fn(&str) -> Result<Option<Vec<String>>, NightError>,
        problems: &mut Vec<String>,
    ) -> Result<usize, NightError> {
        for (name, expected) in named {
            match atomic::read(&folder.join(name)) {
                Err(error) => problems.push(format!("{name} cannot be read: {error}")),
                Ok(content) => {
                    let found = sha256_hex(&content);
                    if found == *expected {
                        continue;
                    }
                    let known = if name == WORKBOOK_FILE { explain(expected)? } else { None };
                    let altered = || {
                        format!(
                            "{name} was altered: its digest should be {expected}, found {found}"
                        )
                    };
                    problems.extend(known.unwrap_or_else(|| vec![altered()]));
                }
            }
        }
        let unreadable = |source| VerifyError::Unreadable { path: folder.to_owned(), source };
        let mut extra = BTreeSet::new();
        for entry in std::fs::read_dir(folder).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
            let is_signature = name.strip_suffix(SIGNATURE_ENDING) == Some(self.name);
            if name != self.name && !is_signature && !named.contains_key(&name) {
                extra.insert(name);
            }
        }
        problems.extend(extra.iter().map(|name| format!("{name} is not one of the run's files")));
        Ok(named.len() + 1)
    }
}

/// Explains the problems from `before` on with the `later` manifest. A manifest that was followed
/// by another one is valid as long as both agree.
pub(super) fn tell_later(problems: &mut Vec<String>, before: usize, later: Option<String>) {
    if problems.len() > before {
        problems.splice(before..before, later);
    }
}
