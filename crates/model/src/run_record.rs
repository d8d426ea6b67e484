//! The run record, the content of `run.json`: the listings that a run read, how its totals add up,
//! the checks that could not be evaluated, and the digest of every other file. Times and durations
//! are written to this file only. The store keeps the record without them.

use std::collections::BTreeMap;
use std::fmt;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{NotEvaluated, SignOff};
use crate::money::{Currency, Minor, format_minor};

/// Raised by every change of a report other than a new column at the end.
pub const SCHEMA_VERSION: u32 = 1;

/// The content of `run.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    pub schema_version: u32,
    pub tool_version: String,
    pub business_date: NaiveDate,
    pub started: DateTime<Utc>,
    pub ended: DateTime<Utc>,
    /// The value of `TIEOUT_NOW`, when it replaced the clock.
    pub clock_substitute: Option<DateTime<Utc>>,
    /// The measures of each stage, by its name.
    pub stages: BTreeMap<String, StageRecord>,
    pub configuration_digest: String,
    /// The share of the merchants; left out when it covers all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    pub listings: Vec<ListingRecord>,
    pub records: RecordTotals,
    pub items: ItemTotals,
    pub ledger: LedgerTotals,
    pub discrepancies: DiscrepancyTotals,
    pub checks: ChecksRecord,
    pub warnings: Vec<String>,
    /// SHA-256 over every row that the store keeps of the date.
    pub results_digest: String,
    /// The standing of the date; empty in a stored record, as it is added when the files are
    /// written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<DateStanding>,
    /// The sign-off of the date; added when the files are written, left out without one.
    #[serde(default, skip_serializing_if = "SignOff::is_none")]
    pub sign_off: SignOff,
    /// File name to SHA-256; this file itself is not in it.
    pub files: BTreeMap<String, String>,
    /// Added when the files are written, like the times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreStamp>,
}

/// The store of a manifest, and the head of its audit trail when it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreStamp {
    /// The id that the store received when it was created.
    pub id: String,
    pub audit_rows: i64,
    /// The hash of the last row; empty without any.
    pub audit_head: String,
}

/// The standing of a date, in its manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DateStanding {
    /// The worst of the merchants' verdicts, as on the page.
    pub verdict: String,
    /// Open discrepancies by severity.
    pub errors: u64,
    pub warnings: u64,
    pub notes: u64,
    /// The total of open errors and warnings by currency; a shared cause counts once.
    pub in_question: BTreeMap<String, Amount>,
    /// The last date up to which all dates of all merchants are final; left out without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_until: Option<NaiveDate>,
    /// The time zone of all merchants; left out where each has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// The verdict by new discrepancies alone.
    pub own_verdict: String,
    /// Errors and warnings that are new, and those that are carried from earlier dates.
    pub new: u64,
    pub carried: u64,
    /// When the oldest of those was first seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried_since: Option<NaiveDate>,
    /// The parts of `in_question`, and the accepted amounts, by the name that people read.
    pub owed: BTreeMap<String, BTreeMap<String, Amount>>,
}

/// The measures of a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageRecord {
    pub duration_ms: u64,
}

/// One complete paged read, or the attempt at one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ListingRecord {
    pub resource: String,
    /// The kind of its filter: `date`, `settled`, `deposit`, …
    pub selector: String,
    /// The terminal, batch or deposit that it is about; empty without one.
    pub scope: String,
    pub date: Option<NaiveDate>,
    /// `complete`, `incomplete` or `not_read`.
    pub verdict: String,
    pub pages: u64,
    pub records: u64,
    pub bytes: u64,
    /// SHA-256 over the received records; empty without any.
    pub digest: String,
    /// Why it is not complete.
    pub error: Option<String>,
}

/// Records that the run received and stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordTotals {
    pub received: Total,
    pub stored: Total,
}

/// Items of merchants with a ledger, in scope, dated up to the business date.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemTotals {
    pub total: Total,
    pub matched: Total,
    pub unmatched: Total,
    pub ambiguous: Total,
    /// The part of the unmatched that the books need not hold yet.
    #[serde(default)]
    pub not_due: Total,
}

/// Ledger records dated up to the business date.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerTotals {
    pub total: Total,
    pub matched: Total,
    pub unmatched: Total,
    pub ambiguous: Total,
    pub excluded: Total,
    pub out_of_scope: Total,
    /// Rows that could not be read; outside of the total, as their amounts are unknown.
    pub quarantined: Total,
}

/// The roll-forward: opening + new + reopened - cleared - accepted = closing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscrepancyTotals {
    pub opening: Count,
    pub new: Count,
    pub reopened: Count,
    pub cleared: Count,
    pub accepted: Count,
    pub closing: Count,
}

/// A number without amounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    pub count: u64,
}

/// A number of records, and their amounts per currency.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Total {
    pub count: u64,
    /// Currency code to amount; amounts without a currency are in the count alone.
    pub amounts: BTreeMap<String, Amount>,
}

impl Total {
    /// A number of records without amounts yet.
    pub fn of(count: u64) -> Self {
        Self { count, amounts: BTreeMap::new() }
    }

    /// The same with an amount in one more currency.
    #[must_use]
    pub fn with(mut self, currency: Currency, amount: Minor) -> Self {
        self.amounts.insert(currency.code().to_owned(), Amount::new(amount, currency));
        self
    }
}

/// An amount as the manifest writes it: major units with the currency's decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    pub minor: Minor,
    exponent: u32,
}

impl Amount {
    /// `minor` in `currency`.
    pub fn new(minor: Minor, currency: Currency) -> Self {
        Self { minor, exponent: currency.exponent() }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&format_minor(self.minor, self.exponent))
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let (_, decimals) = text.split_once('.').unwrap_or((&text, ""));
        let amount = text.replacen('.', "", 1).parse().ok().and_then(|minor| {
            Some(Self { minor: Minor(minor), exponent: u32::try_from(decimals.len()).ok()? })
        });
        // Only this program's own output is read: the amount must write itself the same way.
        amount
            .filter(|amount| amount.exponent <= 4 && amount.to_string() == text)
            .ok_or_else(|| de::Error::custom(format!("\"{text}\" is not an amount")))
    }
}

/// Which checks ran, and which could not, with why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChecksRecord {
    /// Codes.
    pub evaluated: Vec<String>,
    pub not_evaluated: Vec<NotEvaluated>,
}

impl RunRecord {
    /// Whether a check of the date could not be made, or a listing of the date is not complete. An
    /// incomplete listing counts even if no check used it: a check might have found something in
    /// it.
    pub fn is_partial(&self) -> bool {
        let is_own = |listing: &&ListingRecord| listing.date == Some(self.business_date);
        !self.checks.not_evaluated.is_empty()
            || self.listings.iter().filter(is_own).any(|listing| listing.verdict != "complete")
    }

    /// Every conservation rule that the totals break, in words; none when all is well.
    pub fn imbalances(&self) -> Vec<String> {
        let (records, items, ledger) = (&self.records, &self.items, &self.ledger);
        let ledger_parts = [
            &ledger.matched,
            &ledger.unmatched,
            &ledger.ambiguous,
            &ledger.excluded,
            &ledger.out_of_scope,
        ];
        [
            imbalance("records received", &records.received, &[&records.stored]),
            imbalance("items", &items.total, &[&items.matched, &items.unmatched, &items.ambiguous]),
            imbalance("ledger records", &ledger.total, &ledger_parts),
            self.discrepancies.imbalance(),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

impl DiscrepancyTotals {
    /// How the roll-forward fails to add up, in words; `None` when all is well.
    pub fn imbalance(&self) -> Option<String> {
        let count = |count: Count| i128::from(count.count);
        let rolled = count(self.opening) + count(self.new) + count(self.reopened)
            - count(self.cleared)
            - count(self.accepted);
        let closing = count(self.closing);
        (rolled != closing)
            .then(|| format!("discrepancies roll forward to {rolled}, but {closing} are open"))
    }
}

fn imbalance(what: &str, total: &Total, parts: &[&Total]) -> Option<String> {
    let count: u128 = parts.iter().map(|part| u128::from(part.count)).sum();
    if count != u128::from(total.count) {
        return Some(format!("{what}: {} in total, but {count} in parts", total.count));
    }
    let amounts = |totals: &[&Total]| {
        let mut sums: BTreeMap<String, i128> = BTreeMap::new();
        for (code, amount) in totals.iter().flat_map(|total| &total.amounts) {
            *sums.entry(code.clone()).or_default() += i128::from(amount.minor.0);
        }
        // A currency whose amounts add up to zero may be left out on either side.
        sums.retain(|_, sum| *sum != 0);
        sums
    };
    let (whole, parts) = (amounts(&[total]), amounts(parts));
    (whole != parts)
        .then(|| format!("{what}: amounts in minor units are {whole:?}, in parts {parts:?}"))
}
