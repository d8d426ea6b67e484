//! Merges the outcomes of a night's shards into one set of reports. Reads the shards' stores and
//! changes none of them; re-evaluates nothing.

mod error;
mod run_records;

pub use error::MergeError;
use error::listed;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use chrono::NaiveDate;

use super::reports::{Timing, date_report, expected, shows, sign, write_index};
use super::run_result::Kept;
use super::{DateLine, DateResult, NightError, Run, RunResult};
use tieout_model::clock::machine_now;
use tieout_model::dates::left_out;
use tieout_model::{MatchRow, MerchantId, NotEvaluated, Shard, SignOff, TransitRow};
use tieout_report::{self as report, ReportError, RowSource};
use tieout_store::{
    DayOutcome, Store, StoreError, days, each_match_of, merged_digest, results, share, sign_off,
};

/// The stores of every shard of a night, in order.
pub struct Shards {
    stores: Vec<(Shard, Store)>,
}

impl Shards {
    /// Opens the stores for reading; all shards must be present.
    ///
    /// # Errors
    /// When a store is not a shard, or a shard is missing or given twice.
    pub fn open(paths: &[PathBuf]) -> Result<Self, NightError> {
        let mut found: BTreeMap<Shard, (&Path, Store)> = BTreeMap::new();
        for path in paths {
            let store = open(path)?;
            let Some(shard) = share::shard(&store)? else {
                let found = match share::share(&store)? {
                    Some(_) => "all merchants",
                    None => "nothing yet",
                };
                return Err(MergeError::NoShard { path: path.clone(), found }.into());
            };
            if let Some((other, (first, _))) = found.first_key_value() {
                let (first, second) = (first.to_path_buf(), path.clone());
                let counts = (other.count(), shard.count());
                if counts.0 != counts.1 {
                    return Err(MergeError::OtherCount { first, second, counts }.into());
                }
            }
            if let Some((first, _)) = found.insert(shard, (path, store)) {
                let (first, second) = (first.to_path_buf(), path.clone());
                return Err(MergeError::Twice { first, second, shard }.into());
            }
        }
        let count = found.keys().next().map_or(0, |shard| shard.count());
        let missing: Vec<Shard> =
            Shard::all(count).filter(|shard| !found.contains_key(shard)).collect();
        if !missing.is_empty() {
            return Err(MergeError::Missing { missing }.into());
        }
        let stores = found.into_iter().map(|(shard, (_, store))| (shard, store)).collect();
        Ok(Self { stores })
    }

    /// Every date that a shard has reconciled, oldest first.
    ///
    /// # Errors
    /// When a store cannot be read.
    pub fn dates(&self) -> Result<Vec<NaiveDate>, NightError> {
        let dates = self.reconciled_dates()?;
        if dates.is_empty() {
            return Err(MergeError::Nothing.into());
        }
        Ok(dates.into_iter().collect())
    }

    fn reconciled_dates(&self) -> Result<BTreeSet<NaiveDate>, NightError> {
        let mut dates = BTreeSet::new();
        for (_, store) in &self.stores {
            dates.extend(days::reconciled(store)?);
        }
        Ok(dates)
    }

    fn stores(&self) -> Vec<&Store> {
        self.stores.iter().map(|(_, store)| store).collect()
    }

    /// The merged outcome of `date`.
    pub(super) fn outcome(&self, date: NaiveDate) -> Result<DayOutcome, NightError> {
        let (mut parts, mut records, mut absent) = (Vec::new(), Vec::new(), Vec::new());
        for (shard, store) in &self.stores {
            match results::held(store, date)? {
                Some(outcome) => {
                    records.push((*shard, outcome.run_record.clone()));
                    parts.push((*shard, outcome));
                }
                None => absent.push(*shard),
            }
        }
        if !absent.is_empty() {
            return Err(MergeError::NotReconciled { date, shards: absent }.into());
        }
        self.warn_of_stale(date)?;
        each_merchant_is_in_one(date, &parts)?;
        let not_evaluated = not_evaluated(&parts);
        let mut whole = DayOutcome {
            run_record: run_records::merge(date, records, &not_evaluated)?,
            results_digest: merged_digest(&self.stores(), date, report::compare_matches)?,
            not_evaluated,
            ..DayOutcome::default()
        };
        for (_, part) in parts {
            whole.discrepancies.extend(part.discrepancies);
            whole.deposits.extend(part.deposits);
            whole.batches.extend(part.batches);
            whole.in_transit.extend(part.in_transit);
            whole.disputes.extend(part.disputes);
            whole.bank_matches.extend(part.bank_matches);
            whole.journal.extend(part.journal);
            whole.summary.extend(part.summary);
            whole.accepted.extend(part.accepted);
            whole.acceptances.extend(part.acceptances);
        }
        Ok(whole)
    }

    fn warn_of_stale(&self, date: NaiveDate) -> Result<(), StoreError> {
        for (shard, store) in &self.stores {
            if days::of_date(store, date)?.is_some_and(|day| day.is_stale) {
                tracing::warn!(
                    business_date = %date,
                    "{date} of shard {shard} is stale, as an older date was run later: \
                     tieout reconcile --stale --shard {shard}"
                );
            }
        }
        Ok(())
    }

    /// The money in transit on the date before, when every shard has reconciled that date.
    fn expected(&self, date: NaiveDate) -> Result<Option<Vec<TransitRow>>, StoreError> {
        let shares = self.stores.iter().map(|(_, store)| expected(store, date));
        let shares = shares.collect::<Result<Option<Vec<_>>, _>>()?;
        Ok(shares.map(|shares| shares.concat()))
    }

    /// The sign-off of the date over all shards. A shard that has not signed it off yet can still
    /// change it.
    fn sign_off(&self, date: NaiveDate) -> Result<SignOff, StoreError> {
        let (mut shares, mut open) = (Vec::new(), Vec::new());
        for (shard, store) in &self.stores {
            let share = sign_off::of(store, date)?;
            if share.closed.is_none() {
                open.push(*shard);
            }
            shares.push(share);
        }
        if !open.is_empty() && open.len() < self.stores.len() {
            tracing::warn!(
                business_date = %date,
                "{date} is closed in some shards and open in shard {}",
                listed(&open)
            );
        }
        Ok(SignOff::of_all(&shares))
    }
}

fn open(path: &Path) -> Result<Store, NightError> {
    if !path.is_file() {
        return Err(MergeError::NoStore { path: path.to_owned() }.into());
    }
    Ok(Store::open_for_reading(path)?)
}

/// Checks that every merchant belongs to one shard. One that has moved is in two until both shards
/// were run again.
fn each_merchant_is_in_one(
    date: NaiveDate,
    parts: &[(Shard, DayOutcome)],
) -> Result<(), MergeError> {
    let mut seen: BTreeMap<&MerchantId, Shard> = BTreeMap::new();
    for (shard, part) in parts {
        let summarized = part.summary.iter().map(|row| &row.merchant_id);
        let found = part.discrepancies.iter().map(|one| &one.merchant_id);
        for merchant_id in summarized.chain(found).filter(|id| !id.is_empty()) {
            let first = *seen.entry(merchant_id).or_insert(*shard);
            if first != *shard {
                let (merchant_id, second) = (merchant_id.clone(), *shard);
                return Err(MergeError::InTwo { date, merchant_id, first, second });
            }
        }
    }
    Ok(())
}

/// An entry for every merchant of only some of the shards is attributed to those shards.
fn not_evaluated(parts: &[(Shard, DayOutcome)]) -> Vec<NotEvaluated> {
    let mut counts: BTreeMap<&NotEvaluated, usize> = BTreeMap::new();
    for entry in parts.iter().flat_map(|(_, part)| &part.not_evaluated) {
        *counts.entry(entry).or_default() += 1;
    }
    let mut entries = BTreeSet::new();
    for (shard, part) in parts {
        for entry in &part.not_evaluated {
            let is_of_all = entry.scope.is_empty() && entry.merchant_id.is_empty();
            let mut entry = entry.clone();
            if is_of_all && counts.get(&entry).is_some_and(|count| *count < parts.len()) {
                entry.reason = format!("shard {shard}: {}", entry.reason);
            }
            entries.insert(entry);
        }
    }
    entries.into_iter().collect()
}

/// The pairs of all shards as one table.
struct MergedMatches<'shards> {
    stores: Vec<&'shards Store>,
    date: NaiveDate,
}

impl RowSource<MatchRow> for MergedMatches<'_> {
    fn each(&self, take: &mut dyn FnMut(&MatchRow) -> io::Result<()>) -> io::Result<()> {
        each_match_of(&self.stores, self.date, report::compare_matches, take)
            .map_err(io::Error::other)?
    }
}

/// Writes the reports of `dates` from the shards' outcomes, or of every date that a shard has
/// reconciled. A date that cannot be merged does not stop the others.
///
/// # Errors
/// When a store cannot be read, or a file cannot be written.
pub fn merge(
    run: &Run<'_>,
    shards: Shards,
    dates: Option<Vec<NaiveDate>>,
) -> Result<RunResult, NightError> {
    let dates = match dates {
        Some(dates) => dates,
        None => shards.dates()?,
    };
    let missed = left_out(&shards.reconciled_dates()?);
    let mut result = RunResult::default();
    for date in dates {
        result.dates.push(match merge_date(run, &shards, date) {
            Ok(done) => done,
            Err(error @ (NightError::Store(_) | NightError::Report(_))) => return Err(error),
            Err(error) => DateResult::failed(date, error),
        });
    }
    write_index(run, &missed)?;
    result.kept = Kept(Some(Box::new(move |date| shards.outcome(date).map(Some))));
    Ok(result)
}

fn merge_date(run: &Run<'_>, shards: &Shards, date: NaiveDate) -> Result<DateResult, NightError> {
    let (started, began) = (machine_now(), Instant::now());
    let outcome = shards.outcome(date)?;
    let timing = Timing::begin(started).with("merge", began.elapsed());
    let folder = write_merged(run, shards, date, &outcome, &timing)?;
    tracing::info!(business_date = %date, stage = "merge", "{date}: shards joined");
    Ok(DateResult {
        business_date: date,
        line: Some(DateLine::of(run, date, &outcome)),
        error: None,
        incomplete: Vec::new(),
        folder: Some(folder),
    })
}

fn write_merged(
    run: &Run<'_>,
    shards: &Shards,
    date: NaiveDate,
    outcome: &DayOutcome,
    timing: &Timing,
) -> Result<PathBuf, NightError> {
    let settings = &run.settings.reports;
    let folder = settings.dir.join(date.to_string());
    let sign_off = shards.sign_off(date)?;
    if shows(&folder, &sign_off) {
        tracing::info!(business_date = %date, stage = "merge", "{date}: closed, not written");
        return Ok(folder);
    }
    let mut report = date_report(run, date, outcome, timing);
    report.run.sign_off = sign_off;
    report.expected = shards.expected(date)?;
    let matches = MergedMatches { stores: shards.stores(), date };
    let written = report::write_date(&settings.dir, &report, &matches, &settings.formats)
        .map_err(|error: ReportError| NightError::Report(error))?;
    // No audit trail records the merged files: only the signature proves them.
    let key = run.settings.evidence.signing_key_file.as_deref();
    sign(key, &settings.dir, &written, report::MANIFEST_FILE, run.clock.now())?;
    Ok(written.folder)
}
