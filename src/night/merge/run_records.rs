//! Merges the run records of the shards: counts are added up, and values that must agree are
//! checked.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::MergeError;
use tieout_judge::listings::NOT_READ;
use tieout_judge::run_record::{first_warnings, is_not_over, of_a_shard};
use tieout_model::digest::sha256_hex;
use tieout_model::money::Minor;
use tieout_model::{
    Count, DiscrepancyTotals, ItemTotals, LedgerTotals, ListingRecord, RecordTotals, RunRecord,
    Total,
};
use tieout_model::{NotEvaluated, Shard};

/// The key of a listing, in the order of the run record.
type Key = (String, String, Option<NaiveDate>, String);

/// The merged record of at least one shard.
pub(crate) fn merge(
    date: NaiveDate,
    mut parts: Vec<(Shard, RunRecord)>,
    not_evaluated: &[NotEvaluated],
) -> Result<RunRecord, MergeError> {
    are_alike(date, &parts)?;
    let listings = listings(&parts);
    let warnings = warnings(date, &parts, &listings);
    let Some((_, mut whole)) = parts.pop() else { return Err(MergeError::Nothing) };
    let mut adder = Adder { date, overflow: None };
    for (_, part) in &parts {
        adder.records(&mut whole.records, &part.records);
        adder.items(&mut whole.items, &part.items);
        adder.ledger(&mut whole.ledger, &part.ledger);
        adder.discrepancies(&mut whole.discrepancies, part.discrepancies);
    }
    adder.finish()?;
    whole.shard = None;
    whole.listings = listings;
    whole.warnings = warnings;
    whole.checks.not_evaluated = not_evaluated.to_vec();
    let is_whole = whole.listings.iter().all(|listing| listing.verdict == "complete");
    match whole.imbalances().into_iter().next() {
        // The loss of an incomplete listing is reported with the listing.
        Some(problem) if is_whole => Err(MergeError::NotConserved { date, problem }),
        _ => Ok(whole),
    }
}

/// Checks that the shards were judged by the same rules; otherwise their figures cannot be added.
fn are_alike(date: NaiveDate, parts: &[(Shard, RunRecord)]) -> Result<(), MergeError> {
    let Some((second, expected)) = parts.first() else { return Err(MergeError::Nothing) };
    for (first, found) in parts {
        let compared = [
            ("program", &found.tool_version, &expected.tool_version),
            ("configuration", &found.configuration_digest, &expected.configuration_digest),
        ];
        for (what, found, expected) in compared {
            if found != expected {
                let (found, expected) = (found.clone(), expected.clone());
                let (first, second) = (*first, *second);
                return Err(MergeError::Unlike { date, what, first, second, found, expected });
            }
        }
    }
    Ok(())
}

fn listings(parts: &[(Shard, RunRecord)]) -> Vec<ListingRecord> {
    let mut merged: BTreeMap<Key, Vec<(Shard, &ListingRecord)>> = BTreeMap::new();
    for (shard, part) in parts {
        for listing in &part.listings {
            let key = (
                listing.resource.clone(),
                listing.selector.clone(),
                listing.date,
                listing.scope.clone(),
            );
            merged.entry(key).or_default().push((*shard, listing));
        }
    }
    merged.into_values().map(|parts| listing(&parts)).collect()
}

/// A listing that several shards have read in part.
fn listing(parts: &[(Shard, &ListingRecord)]) -> ListingRecord {
    let (_, first) = parts[0];
    let mut whole = first.clone();
    if parts.len() == 1 {
        return whole;
    }
    let has = |verdict: &str| parts.iter().any(|(_, part)| part.verdict == verdict);
    let sum = |number: fn(&ListingRecord) -> u64| {
        parts.iter().fold(0_u64, |sum, (_, part)| sum.saturating_add(number(part)))
    };
    let verdict = ["incomplete", NOT_READ].into_iter().find(|verdict| has(verdict));
    verdict.unwrap_or("complete").clone_into(&mut whole.verdict);
    whole.pages = sum(|part| part.pages);
    whole.records = sum(|part| part.records);
    whole.bytes = sum(|part| part.bytes);
    let digests: Vec<&str> = parts.iter().map(|(_, part)| part.digest.as_str()).collect();
    whole.digest = sha256_hex(digests.join("\n").as_bytes());
    whole.error = parts
        .iter()
        .find_map(|(shard, part)| Some(format!("shard {shard}: {}", part.error.as_ref()?)));
    whole
}

/// The warnings of the shards, each once, without the warning that they are shards.
fn warnings(
    date: NaiveDate,
    parts: &[(Shard, RunRecord)],
    listings: &[ListingRecord],
) -> Vec<String> {
    let is_over = !parts.iter().any(|(_, part)| part.warnings.contains(&is_not_over(date)));
    let mut warnings = first_warnings(date, is_over, listings);
    let mut others = BTreeSet::new();
    for (shard, part) in parts {
        let known = first_warnings(date, is_over, &part.listings);
        let own = of_a_shard(*shard);
        let said = part.warnings.iter();
        others.extend(said.filter(|one| !known.contains(one) && **one != own).cloned());
    }
    others.remove(&is_not_over(date));
    warnings.extend(others);
    warnings
}

/// Adds up totals and remembers the first overflow.
struct Adder {
    date: NaiveDate,
    overflow: Option<&'static str>,
}

impl Adder {
    fn finish(self) -> Result<(), MergeError> {
        match self.overflow {
            None => Ok(()),
            Some(what) => Err(MergeError::NotConserved {
                date: self.date,
                problem: format!("the {what} of the shards are more than can be counted"),
            }),
        }
    }

    fn count(&mut self, sum: &mut u64, part: u64, what: &'static str) {
        match sum.checked_add(part) {
            Some(added) => *sum = added,
            None => self.overflow = Some(what),
        }
    }

    fn total(&mut self, sum: &mut Total, part: &Total, what: &'static str) {
        self.count(&mut sum.count, part.count, what);
        for (code, amount) in &part.amounts {
            let Some(known) = sum.amounts.get_mut(code) else {
                sum.amounts.insert(code.clone(), *amount);
                continue;
            };
            match known.minor.0.checked_add(amount.minor.0) {
                Some(added) => known.minor = Minor(added),
                None => self.overflow = Some(what),
            }
        }
    }

    fn records(&mut self, sum: &mut RecordTotals, part: &RecordTotals) {
        self.total(&mut sum.received, &part.received, "records");
        self.total(&mut sum.stored, &part.stored, "records");
    }

    fn items(&mut self, sum: &mut ItemTotals, part: &ItemTotals) {
        for (sum, part) in [
            (&mut sum.total, &part.total),
            (&mut sum.matched, &part.matched),
            (&mut sum.unmatched, &part.unmatched),
            (&mut sum.ambiguous, &part.ambiguous),
            (&mut sum.not_due, &part.not_due),
        ] {
            self.total(sum, part, "items");
        }
    }

    fn ledger(&mut self, sum: &mut LedgerTotals, part: &LedgerTotals) {
        for (sum, part) in [
            (&mut sum.total, &part.total),
            (&mut sum.matched, &part.matched),
            (&mut sum.unmatched, &part.unmatched),
            (&mut sum.ambiguous, &part.ambiguous),
            (&mut sum.excluded, &part.excluded),
            (&mut sum.out_of_scope, &part.out_of_scope),
            (&mut sum.quarantined, &part.quarantined),
        ] {
            self.total(sum, part, "ledger records");
        }
    }

    fn discrepancies(&mut self, sum: &mut DiscrepancyTotals, part: DiscrepancyTotals) {
        for (Count { count: sum }, Count { count: part }) in [
            (&mut sum.opening, part.opening),
            (&mut sum.new, part.new),
            (&mut sum.reopened, part.reopened),
            (&mut sum.cleared, part.cleared),
            (&mut sum.accepted, part.accepted),
            (&mut sum.closing, part.closing),
        ] {
            self.count(sum, part, "discrepancies");
        }
    }
}
