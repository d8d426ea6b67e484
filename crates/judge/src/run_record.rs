//! The run record: listings, conservation totals and check results. Everything but times and
//! machine facts is the same in every run over the same data.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate};

use crate::judgement::Judgement;
use crate::{AsOf, JudgeError, Lives, Rules};
use tieout_model::money::{Currency, Minor};
use tieout_model::{
    ChecksRecord, Count, DiscrepancyTotals, ListingRecord, RecordTotals, RunRecord, SCHEMA_VERSION,
    Total,
};
use tieout_model::{Discrepancy, DiscrepancyStatus, Shard, SignOff};
use tieout_read::Fetcher;
use tieout_store::{DayOutcome, NotAsked, RecordSum, Store, StoreError, judging, results};

/// The roll-forward of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roll {
    opening: u64,
    new: u64,
    reopened: u64,
    cleared: u64,
    accepted: u64,
    closing: u64,
}

impl Roll {
    pub fn of(opening: &[Discrepancy], lives: &Lives) -> Self {
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

    /// Checks that opening + new + reopened - cleared - accepted = closing.
    pub fn check(&self) -> Result<(), JudgeError> {
        let came = self.opening + self.new + self.reopened;
        if came == self.closing + self.cleared + self.accepted {
            return Ok(());
        }
        Err(JudgeError::NotConserved(format!(
            "opening {} + new {} + reopened {} - cleared {} - accepted {} is not closing {}",
            self.opening, self.new, self.reopened, self.cleared, self.accepted, self.closing
        )))
    }
}

/// Discrepancies that were open when the earlier date closed and that an acceptance took off the
/// list.
pub(crate) fn left_by_acceptance<'run>(
    opening: &'run [Discrepancy],
    accepted: &[Discrepancy],
) -> impl Iterator<Item = &'run Discrepancy> {
    let ids: BTreeSet<String> =
        accepted.iter().map(|stored| stored.discrepancy_id.clone()).collect();
    opening.iter().filter(move |stored| ids.contains(&stored.discrepancy_id))
}

/// The run record of a date without files and times.
pub(crate) fn stable_part(
    rules: &Rules<'_>,
    store: &Store,
    asof: &AsOf,
    records: RecordTotals,
    judgement: &Judgement,
    outcome: &DayOutcome,
    roll: &Roll,
) -> Result<RunRecord, JudgeError> {
    let Judgement { findings, books, .. } = judgement;
    let listings = crate::listings::of(rules.settings, store, asof.business_date)?;
    let record = RunRecord {
        schema_version: SCHEMA_VERSION,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        business_date: asof.business_date,
        started: DateTime::UNIX_EPOCH,
        ended: DateTime::UNIX_EPOCH,
        clock_substitute: None,
        stages: BTreeMap::new(),
        configuration_digest: rules.configuration_digest.to_owned(),
        sign_off: SignOff::default(),
        shard: rules.settings.shard.map(|shard| shard.to_string()),
        warnings: warnings(rules, asof, &listings, &judging::not_asked(store)?, &books.warnings),
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
        standing: None,
        files: BTreeMap::new(),
        store: None,
    };
    let imbalances = record.imbalances();
    let is_whole = record.listings.iter().all(|listing| listing.verdict == "complete");
    // An incomplete listing may break a sum; the listing itself is reported then.
    if let Some(imbalance) = imbalances.first().filter(|_| is_whole) {
        return Err(JudgeError::NotConserved(imbalance.clone()));
    }
    Ok(record)
}

fn warnings(
    rules: &Rules<'_>,
    asof: &AsOf,
    listings: &[ListingRecord],
    not_asked: &[NotAsked],
    of_books: &[String],
) -> Vec<String> {
    let date = asof.business_date;
    let is_over = date != rules.today;
    let mut warnings = first_warnings(date, is_over, listings);
    if let Some(shard) = rules.settings.shard {
        warnings.push(of_a_shard(shard));
    }
    warnings.extend(not_asked.iter().map(was_not_asked));
    let mut of_books = of_books.to_vec();
    of_books.sort();
    warnings.extend(of_books);
    warnings
}

/// Warnings about the date and its listings.
pub fn first_warnings(date: NaiveDate, is_over: bool, listings: &[ListingRecord]) -> Vec<String> {
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

/// Warns that the date was run before a terminal was added, and names the remedy.
fn was_not_asked(not_asked: &NotAsked) -> String {
    let NotAsked { merchant_id, terminal_ids, first_date, last_date } = not_asked;
    let is_one = first_date == last_date;
    let dates = if is_one { first_date.to_string() } else { format!("{first_date}..{last_date}") };
    format!(
        "{dates} was run without terminal {terminal_ids} of merchant {merchant_id}: its settled \
         bank transfers are not known; tieout run --date {dates} reads them"
    )
}

/// Warns that a date is not over yet.
pub fn is_not_over(date: NaiveDate) -> String {
    format!("{date} is not over: run it again when the processor has finished it")
}

/// Warns that a report covers one shard only.
pub fn of_a_shard(shard: Shard) -> String {
    format!("this is shard {shard} alone: tieout merge joins it with the others")
}

/// Whether a date was reconciled in part, or rows of a ledger were left out.
pub fn is_partial(outcome: &DayOutcome) -> bool {
    let record = &outcome.run_record;
    !outcome.not_evaluated.is_empty() || record.is_partial() || record.ledger.quarantined.count > 0
}

/// The records that the run received and stored; without a fetcher, those of the previous run.
pub async fn records(
    store: &Store,
    fetcher: Option<&Fetcher<'_>>,
    date: NaiveDate,
) -> Result<RecordTotals, JudgeError> {
    let Some(fetcher) = fetcher else {
        let before = match results::run_record(store, date) {
            // The unreadable record is being replaced.
            Err(StoreError::RunRecord { .. }) => None,
            before => before?,
        };
        return Ok(before.map(|(record, _)| record.records).unwrap_or_default());
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
