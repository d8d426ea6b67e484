//! The run record: what was read, what was conserved, what was judged. Everything but times
//! and machine facts is the same in every run over the same data.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, NaiveDate, Utc};

use crate::clock::machine_now;
use crate::judge::AsOf;
use crate::judge::Lives;
use crate::judge::reconcile::Judgement;
use crate::model::{Discrepancy, DiscrepancyStatus, MatchRow, Shard};
use crate::money::{Currency, Minor};
use crate::night::Job;
use crate::night::JobError;
use crate::read::Fetcher;
use crate::report::{
    self, ChecksRecord, Count, DateReport, DiscrepancyTotals, ListingRecord, RecordTotals,
    RowSource, RunRecord, SCHEMA_VERSION, StageRecord, Total,
};
use crate::store::{Act, DayOutcome, NewAct, NotAsked, RecordSum, Store};

/// When a date's work began and how long each stage took.
#[derive(Clone, Debug)]
pub struct Timing {
    started: DateTime<Utc>,
    stages: BTreeMap<String, StageRecord>,
}

impl Timing {
    /// Nothing done yet.
    pub fn begin(started: DateTime<Utc>) -> Self {
        Self { started, stages: BTreeMap::new() }
    }

    /// The same with one more stage.
    #[must_use]
    pub fn with(mut self, stage: &str, took: Duration) -> Self {
        let duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        self.stages.insert(stage.to_owned(), StageRecord { duration_ms });
        self
    }
}

/// The roll-forward of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Roll {
    opening: u64,
    new: u64,
    reopened: u64,
    cleared: u64,
    accepted: u64,
    closing: u64,
}

impl Roll {
    pub(crate) fn of(opening: &[Discrepancy], lives: &Lives) -> Self {
        let rows = &lives.rows;
        let count = |holds: &dyn Fn(&Discrepancy) -> bool| {
            rows.iter().filter(|row| row.is_carried && holds(row)).count() as u64
        };
        Self {
            opening: opening.len() as u64,
            new: count(&|row| row.status == DiscrepancyStatus::New && !row.is_reopened),
            reopened: count(&|row| row.is_reopened),
            cleared: count(&|row| row.status == DiscrepancyStatus::Cleared),
            accepted: left_by_acceptance(opening, &lives.accepted).count() as u64,
            closing: count(&|row| row.status != DiscrepancyStatus::Cleared),
        }
    }

    /// Opening, new and reopened less cleared and accepted must be closing.
    pub(crate) fn check(&self) -> Result<(), JobError> {
        let came = self.opening + self.new + self.reopened;
        if came == self.closing + self.cleared + self.accepted {
            return Ok(());
        }
        Err(JobError::NotConserved(format!(
            "opening {} + new {} + reopened {} - cleared {} - accepted {} is not closing {}",
            self.opening, self.new, self.reopened, self.cleared, self.accepted, self.closing
        )))
    }
}

/// What was open when the earlier date closed and has left the list because it is accepted.
pub(crate) fn left_by_acceptance<'run>(
    opening: &'run [Discrepancy],
    accepted: &[Discrepancy],
) -> impl Iterator<Item = &'run Discrepancy> {
    let ids: BTreeSet<String> =
        accepted.iter().map(|stored| stored.discrepancy_id.clone()).collect();
    opening.iter().filter(move |stored| ids.contains(&stored.discrepancy_id))
}

/// The record of a date without files and times, as JSON for the store.
pub(crate) fn stable_part(
    job: &Job<'_>,
    store: &Store,
    asof: &AsOf,
    records: RecordTotals,
    judgement: &Judgement,
    outcome: &DayOutcome,
    roll: &Roll,
) -> Result<String, JobError> {
    let Judgement { findings, books } = judgement;
    let listings = crate::read::listings::of(job.settings, store, asof.business_date)?;
    let record = RunRecord {
        schema_version: SCHEMA_VERSION,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        business_date: asof.business_date,
        started: DateTime::UNIX_EPOCH,
        ended: DateTime::UNIX_EPOCH,
        clock_substitute: None,
        stages: BTreeMap::new(),
        configuration_digest: job.configuration_digest.clone(),
        shard: job.settings.shard.map(|shard| shard.to_string()),
        warnings: warnings(job, asof, &listings, &store.not_asked()?, &books.warnings),
        listings,
        records,
        items: books.items.clone(),
        ledger: books.ledger.clone(),
        discrepancies: DiscrepancyTotals {
            opening: Count { count: roll.opening },
            new: Count { count: roll.new },
            reopened: Count { count: roll.reopened },
            cleared: Count { count: roll.cleared },
            accepted: Count { count: roll.accepted },
            closing: Count { count: roll.closing },
        },
        checks: ChecksRecord {
            evaluated: findings.evaluated.clone(),
            not_evaluated: outcome.not_evaluated.clone(),
        },
        results_digest: String::new(),
        files: BTreeMap::new(),
    };
    let imbalances = record.imbalances();
    let is_whole = record.listings.iter().all(|listing| listing.verdict == "complete");
    // What an incomplete listing lost is said by the listing itself.
    if let Some(imbalance) = imbalances.first().filter(|_| is_whole) {
        return Err(JobError::NotConserved(imbalance.clone()));
    }
    serde_json::to_string(&record).map_err(|error| JobError::NotConserved(error.to_string()))
}

fn warnings(
    job: &Job<'_>,
    asof: &AsOf,
    listings: &[ListingRecord],
    not_asked: &[NotAsked],
    of_books: &[String],
) -> Vec<String> {
    let date = asof.business_date;
    let is_over = date != job.clock.today(job.settings.time_zone);
    let mut warnings = first_warnings(date, is_over, listings);
    if let Some(shard) = job.settings.shard {
        warnings.push(of_a_shard(shard));
    }
    warnings.extend(not_asked.iter().map(was_not_asked));
    let mut of_books = of_books.to_vec();
    of_books.sort();
    warnings.extend(of_books);
    warnings
}

/// What a person should know about the date and its listings.
pub(crate) fn first_warnings(
    date: NaiveDate,
    is_over: bool,
    listings: &[ListingRecord],
) -> Vec<String> {
    let mut warnings = Vec::new();
    if !is_over {
        warnings.push(is_not_over(date));
    }
    let incomplete = listings.iter().filter(|listing| listing.verdict != "complete").count();
    if incomplete > 0 {
        warnings.push(format!("{incomplete} listings are not complete"));
    }
    warnings
}

/// That terminals came later than the store began, and what to do about it.
fn was_not_asked(not_asked: &NotAsked) -> String {
    let NotAsked { merchant_id, terminal_ids, first_date, last_date } = not_asked;
    let is_one = first_date == last_date;
    let dates = if is_one { first_date.to_string() } else { format!("{first_date}..{last_date}") };
    format!(
        "{dates} was run without terminal {terminal_ids} of merchant {merchant_id}: what settled \
         there is not known; tieout run --date {dates} reads it"
    )
}

/// That a date is still going on.
pub(crate) fn is_not_over(date: NaiveDate) -> String {
    format!("{date} is not over: run it again when the processor has finished it")
}

/// That a report is not the whole.
pub(crate) fn of_a_shard(shard: Shard) -> String {
    format!("this is shard {shard} alone: tieout merge joins it with the others")
}

/// Whether a date was done in part, or rows of a ledger were left out of what it was judged by.
pub(crate) fn is_partial(outcome: &DayOutcome) -> bool {
    // Also of a date whose run record cannot be read.
    !outcome.not_evaluated.is_empty()
        || serde_json::from_str::<RunRecord>(&outcome.run_record)
            .is_ok_and(|record| record.is_partial() || record.ledger.quarantined.count > 0)
}

/// What the run received and stored; without one, what the run before it did.
pub(crate) async fn records(
    store: &Store,
    fetcher: Option<&Fetcher<'_>>,
    date: NaiveDate,
) -> Result<RecordTotals, JobError> {
    let Some(fetcher) = fetcher else {
        let before = store.outcome(date)?.map(|outcome| outcome.run_record);
        let before = before.and_then(|text| serde_json::from_str::<RunRecord>(&text).ok());
        return Ok(before.map(|record| record.records).unwrap_or_default());
    };
    let (received, stored) = fetcher.conserved(date).await?;
    Ok(RecordTotals { received: total(&received), stored: total(&stored) })
}

fn total(sum: &RecordSum) -> Total {
    let mut total = Total::of(sum.count);
    for (code, amount) in &sum.amounts {
        // A sum beyond 64 bits could not have been stored record by record.
        let (Some(currency), Ok(amount)) = (Currency::from_code(code), i64::try_from(*amount))
        else {
            continue;
        };
        total = total.with(currency, Minor(amount));
    }
    total
}

/// The pairs of a date, row by row from the store.
struct StoredMatches<'store> {
    store: &'store Store,
    date: NaiveDate,
}

impl RowSource<MatchRow> for StoredMatches<'_> {
    fn each(&self, take: &mut dyn FnMut(&MatchRow) -> io::Result<()>) -> io::Result<()> {
        self.store.each_match(self.date, take).map_err(io::Error::other)?
    }
}

impl Job<'_> {
    /// Writes the reports of a date from what it came to; answers with their folder. The files
    /// of a closed date stay as they are.
    pub(crate) fn report(
        &self,
        store: &mut Store,
        date: NaiveDate,
        outcome: &DayOutcome,
        timing: &Timing,
    ) -> Result<PathBuf, JobError> {
        let settings = &self.settings.reports;
        let folder = settings.dir.join(date.to_string());
        if store.is_closed(date)? && folder.join(report::MANIFEST_FILE).exists() {
            tracing::info!(business_date = %date, stage = "report", "{date}: closed, not written");
            return Ok(folder);
        }
        let report = self.date_report(date, outcome, timing)?;
        let matches = StoredMatches { store, date };
        let written = report::write_date(&settings.dir, &report, &matches, &settings.formats)?;
        let manifest = written.files.get(report::MANIFEST_FILE).cloned().unwrap_or_default();
        let act = NewAct {
            act: Act::Report,
            subject: &date.to_string(),
            business_date: date,
            until: None,
            who: "tieout",
            // What is in the chain cannot be written anew to fit a manifest that was edited.
            note: &manifest,
        };
        store.record_act(&act, self.clock.now())?;
        tracing::info!(business_date = %date, stage = "report", "{date}: reports written");
        Ok(written.folder)
    }

    /// Everything that the reports of a date show.
    ///
    /// # Errors
    /// When the stored run record is not understood.
    pub fn date_report(
        &self,
        date: NaiveDate,
        outcome: &DayOutcome,
        timing: &Timing,
    ) -> Result<DateReport, JobError> {
        let stable: RunRecord = serde_json::from_str(&outcome.run_record)
            .map_err(|error| JobError::NotConserved(format!("run record of {date}: {error}")))?;
        let run = RunRecord {
            started: timing.started,
            ended: machine_now(),
            stages: timing.stages.clone(),
            clock_substitute: self.clock.is_substituted().then(|| self.clock.now()),
            results_digest: outcome.results_digest.clone(),
            ..stable
        };
        Ok(DateReport {
            business_date: date,
            discrepancies: outcome.discrepancies.iter().map(|stored| stored.clone()).collect(),
            deposits: outcome.deposits.clone(),
            batches: outcome.batches.clone(),
            in_transit: outcome.in_transit.clone(),
            summary: outcome.summary.clone(),
            run,
            signs: self.settings.settlement.signs,
            meanings: self.meanings(),
        })
    }

    /// What the checks look for, by code, for the pages.
    pub(crate) fn meanings(&self) -> BTreeMap<String, String> {
        let checks = self.registry.iter();
        checks.map(|check| (check.code.clone(), check.means.clone())).collect()
    }
}
