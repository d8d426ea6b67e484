//! Writes the reports of a date from its outcome.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;

use super::shares::shares;
use super::{NightError, Run};
use tieout_config::Settings;
use tieout_judge::Registry;
use tieout_model::clock::{machine_now, written as written_moment};
use tieout_model::digest::sha256_hex;
use tieout_model::{
    AcceptedRow, MatchRow, ReportedChecks, RunRecord, SignOff, StageRecord, TransitRow,
};
use tieout_report::{
    self as report, DateReport, INDEX_FILE, ReportError, RowSource, SIGNATURE_ENDING, Signer,
    WrittenFiles,
};
use tieout_store::{
    Act, DayOutcome, NewAct, Store, StoreError, days, results, sign_off, stamp, trail,
};

/// When the work on a date began, and how long each stage took.
#[derive(Clone, Debug)]
pub struct Timing {
    started: DateTime<Utc>,
    stages: BTreeMap<String, StageRecord>,
}

impl Timing {
    /// Begins without stages.
    pub fn begin(started: DateTime<Utc>) -> Self {
        Self { started, stages: BTreeMap::new() }
    }

    /// Adds a stage.
    #[must_use]
    pub fn with(mut self, stage: &str, took: Duration) -> Self {
        let duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        self.stages.insert(stage.to_owned(), StageRecord { duration_ms });
        self
    }
}

/// The pairs of a date, row by row from the store.
pub(super) struct StoredMatches<'store> {
    pub(super) store: &'store Store,
    pub(super) date: NaiveDate,
}

impl RowSource<MatchRow> for StoredMatches<'_> {
    fn each(&self, take: &mut dyn FnMut(&MatchRow) -> io::Result<()>) -> io::Result<()> {
        results::each_match(self.store, self.date, take).map_err(io::Error::other)?
    }
}

/// Writes the reports of a date while the next one is judged.
#[derive(Default)]
pub(super) struct Reporter {
    writing: Option<(NaiveDate, JoinHandle<Result<WrittenFiles, NightError>>)>,
    failed: BTreeMap<NaiveDate, NightError>,
}

impl Reporter {
    /// Begins to write the reports of a date from its outcome; returns their folder. The files of a
    /// closed date are not changed.
    pub(super) fn begin(
        &mut self,
        run: &Run<'_>,
        store: &mut Store,
        date: NaiveDate,
        outcome: &DayOutcome,
        timing: &Timing,
    ) -> Result<PathBuf, NightError> {
        // The manifest contains the head of the audit trail, which must include the previous date's
        // manifest.
        self.finish();
        let settings = run.settings.reports.clone();
        let folder = settings.dir.join(date.to_string());
        let stamp = stamp::of(store)?;
        if let Some(found) = report::store_of(&folder).filter(|found| *found != stamp.id) {
            let error = ReportError::OtherStore { path: folder, found, ours: stamp.id };
            return Err(error.into());
        }
        let sign_off = sign_off::of(store, date)?;
        if is_final(store, &folder, date, &sign_off)? {
            tracing::info!(business_date = %date, stage = "report", "{date}: closed, not written");
            return Ok(folder);
        }
        // Until the audit trail has its report, a sign-off is one that was interrupted.
        let is_signing_off = sign_off::interrupted(store)?.contains(&date);
        let mut report = date_report(run, date, outcome, timing).into_owned();
        report.run.store = Some(stamp);
        report.run.sign_off = sign_off;
        report.expected = expected(store, date)?;
        let key = run.settings.evidence.signing_key_file.clone();
        let path = store.path().to_owned();
        let clock = run.clock;
        let write = move || {
            let store = Store::open(&path)?;
            let matches = StoredMatches { store: &store, date };
            let (dir, formats) = (&settings.dir, &settings.formats);
            let note = |digest: &str| -> Result<(), NightError> {
                Ok(note_written(&store, &date.to_string(), date, digest, clock.now())?)
            };
            let before = |digest: &str| if is_signing_off { Ok(()) } else { note(digest) };
            let written = report::write_noted_date(dir, &report, &matches, formats, before)?;
            sign(key.as_deref(), dir, &written, report::MANIFEST_FILE, clock.now())?;
            if is_signing_off {
                note(written.files.get(report::MANIFEST_FILE).map_or("", String::as_str))?;
            }
            tracing::info!(business_date = %date, stage = "report", "{date}: reports written");
            Ok(written)
        };
        self.writing = Some((date, thread::spawn(write)));
        Ok(folder)
    }

    /// Waits for the reports that are being written.
    fn finish(&mut self) {
        let Some((date, thread)) = self.writing.take() else { return };
        let written = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        self.failed.extend(written.err().map(|error| (date, error)));
    }

    /// Waits for the reports being written; returns the dates whose reports failed.
    pub(super) fn end(mut self) -> BTreeMap<NaiveDate, NightError> {
        self.finish();
        std::mem::take(&mut self.failed)
    }
}

impl Drop for Reporter {
    /// Waits for the thread, so that a run that ends early leaves none that still writes.
    fn drop(&mut self) {
        // The run ends with another error already, so the thread's result is dropped.
        drop(self.writing.take().map(|(_, thread)| thread.join()));
    }
}

/// Writes the reports of one date.
pub(super) fn write(
    run: &Run<'_>,
    store: &mut Store,
    date: NaiveDate,
    outcome: &DayOutcome,
) -> Result<(), NightError> {
    let mut reporter = Reporter::default();
    reporter.begin(run, store, date, outcome, &Timing::begin(machine_now()))?;
    reporter.end().remove(&date).map_or(Ok(()), Err)
}

/// Puts the digest of a manifest into the audit trail: what is in the chain cannot be written anew to
/// fit a manifest that was edited.
pub(super) fn note_written(
    store: &Store,
    subject: &str,
    date: NaiveDate,
    manifest: &str,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let (act, who) = (Act::Report, "tieout");
    let (business_date, note) = (date, manifest);
    let act = NewAct { act, subject, business_date, until: None, who, note, assigned: None };
    trail::record(store, &act, now).map(drop)
}

/// The money in transit on the date before, when that date was reconciled.
pub(super) fn expected(
    store: &Store,
    date: NaiveDate,
) -> Result<Option<Vec<TransitRow>>, StoreError> {
    match date.pred_opt() {
        Some(before) if days::previous_reconciled(store, date)? == Some(before) => {
            results::in_transit(store, before).map(Some)
        }
        _ => Ok(None),
    }
}

/// Checks that a folder contains the final files of a closed date, which show its sign-off. The
/// files are not final after an interrupted sign-off, which may have left some of them unchanged.
pub(super) fn is_final(
    store: &Store,
    folder: &Path,
    date: NaiveDate,
    sign_off: &SignOff,
) -> Result<bool, StoreError> {
    Ok(shows(folder, sign_off) && !sign_off::interrupted(store)?.contains(&date))
}

/// Checks that the manifest of a folder shows the sign-off of its date.
pub(super) fn shows(folder: &Path, sign_off: &SignOff) -> bool {
    sign_off.closed.is_some() && report::sign_off_of(folder).as_ref() == Some(sign_off)
}

/// Signs a manifest with the configured key and adds it to the register of `root`; without a key its
/// old signature is removed, as it would not fit.
pub(super) fn sign(
    key: Option<&Path>,
    root: &Path,
    written: &WrittenFiles,
    manifest: &str,
    now: DateTime<Utc>,
) -> Result<(), NightError> {
    let folder = &written.folder;
    let Some(key) = key else {
        let signature = format!("{manifest}{SIGNATURE_ENDING}");
        return Ok(report::atomic::remove_files(folder, &[&signature])?);
    };
    let signer = Signer::read(key)?;
    signer.sign(folder, manifest)?;
    let subject = folder.file_name().unwrap_or_default().to_string_lossy();
    let digest = written.files.get(manifest).map_or("", String::as_str);
    Ok(signer.register(root, &subject, digest, &written_moment(now))?)
}

/// Writes the index of the reports and, where a key is configured, adds it to the register. `missed` are
/// dates that were not run.
pub(super) fn write_index(run: &Run<'_>, missed: &[NaiveDate]) -> Result<(), NightError> {
    let settings = &run.settings.reports;
    report::write_index(&settings.dir, &settings.formats, missed)?;
    let Some(key) = &run.settings.evidence.signing_key_file else { return Ok(()) };
    let Ok(page) = std::fs::read(settings.dir.join(INDEX_FILE)) else { return Ok(()) };
    let run = written_moment(run.clock.now());
    Ok(Signer::read(key)?.register(&settings.dir, INDEX_FILE, &sha256_hex(&page), &run)?)
}

/// Whether a manifest has its signature, where a key is configured.
pub(super) fn is_signed(run: &Run<'_>, folder: &Path, manifest: &str) -> Result<bool, NightError> {
    let Some(key) = &run.settings.evidence.signing_key_file else { return Ok(true) };
    let content = std::fs::read(folder.join(manifest)).unwrap_or_default();
    Ok(Signer::read(key)?.public().problem(folder, manifest, &content).is_none())
}

/// The content of a date's reports.
pub fn date_report<'a>(
    run: &Run<'a>,
    date: NaiveDate,
    outcome: &'a DayOutcome,
    timing: &Timing,
) -> DateReport<'a> {
    let record = RunRecord {
        started: timing.started,
        ended: machine_now(),
        stages: timing.stages.clone(),
        clock_substitute: run.clock.is_substituted().then(|| run.clock.now()),
        results_digest: outcome.results_digest.clone(),
        ..outcome.run_record.clone()
    };
    DateReport {
        business_date: date,
        discrepancies: (&outcome.discrepancies).into(),
        accepted: AcceptedRow::joined(&outcome.accepted, &outcome.acceptances),
        deposits: (&outcome.deposits).into(),
        batches: (&outcome.batches).into(),
        in_transit: (&outcome.in_transit).into(),
        expected: None,
        disputes: (&outcome.disputes).into(),
        bank_matches: (&outcome.bank_matches).into(),
        journal: (&outcome.journal).into(),
        accounts: run.settings.journal.as_ref().map(Cow::Borrowed),
        summary: (&outcome.summary).into(),
        shares: shares(&run.registry, outcome),
        run: record,
        signs: run.settings.settlement.signs,
        time_zone: run.settings.time_zone,
        merchant_zone: merchant_zone(run.settings),
        checks: reported_checks(&run.registry),
    }
}

/// The time zone of all merchants; `None` when they have different ones.
pub(super) fn merchant_zone(settings: &Settings) -> Option<Tz> {
    let mut zones = settings.merchants.iter().map(|merchant| merchant.time_zone);
    let first = zones.next().unwrap_or(settings.time_zone);
    zones.all(|zone| zone == first).then_some(first)
}

/// The checks as the reports describe them.
pub(super) fn reported_checks(registry: &Registry) -> ReportedChecks {
    let checks = registry.iter();
    ReportedChecks(checks.map(|check| (check.code.clone(), check.reported())).collect())
}
