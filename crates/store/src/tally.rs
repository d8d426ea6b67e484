//! Counts the distinct records of each session, by number and by amount. One tally counts the
//! records received, a second one the records written; conservation requires that they agree.
//!
//! Authorizations and card transactions are the bulk of a night. They are counted as they come, and
//! `SQLite`, which looks each one up when it writes it, reports those already stored: so nothing
//! here grows with them. All others can be in many listings of a session and are identified here.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hash, Hasher};

use super::page_number::PageNumber;
use super::reading::Reading;
use tieout_model::Record;
use tieout_model::money::{Currency, Minor};

/// Records by number, and by amount where they carry a currency.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordSum {
    pub count: u64,
    /// Currency code to the sum in minor units.
    pub amounts: BTreeMap<&'static str, i128>,
}

impl RecordSum {
    /// Counts one record more.
    pub fn add(&mut self, carried: Option<(Currency, Minor)>) {
        self.count += 1;
        if let Some((currency, amount)) = carried {
            *self.amounts.entry(currency.code()).or_default() += i128::from(amount.0);
        }
    }

    fn add_all(&mut self, other: &Self) {
        self.count += other.count;
        for (code, amount) in &other.amounts {
            *self.amounts.entry(code).or_default() += amount;
        }
    }

    /// The sum without the records that `other` counts. A count stops at zero: then the two sides
    /// of the conservation differ, and that error says more than a panic.
    #[must_use]
    pub fn without(mut self, other: &Self) -> Self {
        self.count = self.count.saturating_sub(other.count);
        for (code, amount) in &other.amounts {
            *self.amounts.entry(code).or_default() -= amount;
        }
        self
    }
}

/// A record that an interrupted session has stored, or the sum of its authorizations and card
/// transactions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionRecord {
    One { kind: String, id: String, reading_id: i64, carried: Option<(Currency, Minor)> },
    Cards(RecordSum),
}

/// The amount of a counted record, as of its newest reading.
#[derive(Debug)]
struct Counted {
    reading_id: i64,
    carried: Option<(Currency, Minor)>,
}

/// The counts of one session.
#[derive(Debug, Default)]
struct Counts {
    /// Records that are identified here, by a hash of their kind and id.
    identified: HashMap<u64, Counted, BuildHasherDefault<Hashed>>,
    cards: RecordSum,
}

/// Passes a hash through: the keys are hashes already.
#[derive(Debug, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash(&bytes);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// Distinct records of every session; authorizations and card transactions count each time.
#[derive(Debug, Default)]
pub struct Tally {
    sessions: HashMap<i64, Counts>,
}

impl Tally {
    /// Counts the records of a page. A record that was counted before now counts with its new
    /// amount; an authorization or card transaction counts each time.
    pub fn page(&mut self, reading: &Reading, page: PageNumber, records: &[Record]) {
        for (index, record) in records.iter().enumerate() {
            if is_card(record) {
                self.card(reading.session, amount_of(record));
            } else {
                self.record(reading, page, index, record);
            }
        }
    }

    /// Counts a record that is neither an authorization nor a card transaction; `index` is its
    /// place on the page.
    pub(super) fn record(
        &mut self,
        reading: &Reading,
        page: PageNumber,
        index: usize,
        record: &Record,
    ) {
        let key = match record.key() {
            Some(key) => hash(&(key.kind(), key.id())),
            // Two equal fee lines are two fees: their places distinguish them.
            None => hash(&("fee", format!("{}/{}", reading.listing_id, ordinal(page, index)))),
        };
        let counts = self.sessions.entry(reading.session).or_default();
        counts.count(key, reading.reading_id, amount_of(record));
    }

    /// Counts an authorization or a card transaction.
    pub(super) fn card(&mut self, session: i64, carried: Option<(Currency, Minor)>) {
        self.sessions.entry(session).or_default().cards.add(carried);
    }

    /// Counts the records that an interrupted session had stored.
    pub fn resume(&mut self, session: i64, records: &[SessionRecord]) {
        let counts = self.sessions.entry(session).or_default();
        for record in records {
            match record {
                SessionRecord::One { kind, id, reading_id, carried } => {
                    counts.count(hash(&(kind.as_str(), id)), *reading_id, *carried);
                }
                SessionRecord::Cards(sum) => counts.cards.add_all(sum),
            }
        }
    }

    /// Forgets a session whose sum is taken.
    pub fn forget(&mut self, session: i64) {
        self.sessions.remove(&session);
    }

    /// The sum of the records of a session.
    pub fn sum(&self, session: i64) -> RecordSum {
        let Some(counts) = self.sessions.get(&session) else { return RecordSum::default() };
        let mut sum = counts.cards.clone();
        for counted in counts.identified.values() {
            sum.add(counted.carried);
        }
        sum
    }
}

impl Counts {
    fn count(&mut self, key: u64, reading_id: i64, carried: Option<(Currency, Minor)>) {
        let entry = self.identified.entry(key).or_insert(Counted { reading_id, carried });
        if entry.reading_id <= reading_id {
            *entry = Counted { reading_id, carried };
        }
    }
}

/// More pages than a part of a listing ever has; the API client gives up long before.
const PAGES_PER_PART: i64 = 1_000_000;

/// More fee lines than a page ever has: 100 by contract.
const LINES_PER_PAGE: i64 = 1_000_000;

/// The place of a fee line in its listing.
pub fn ordinal(page: PageNumber, index: usize) -> i64 {
    let place = i64::from(page.part) * PAGES_PER_PART + i64::from(page.number);
    place * LINES_PER_PAGE + i64::try_from(index).unwrap_or(i64::MAX)
}

/// Whether it is an authorization or a card transaction, the bulk of a night: a session lists each
/// of them in one place, and only the store identifies them.
pub fn is_card(record: &Record) -> bool {
    matches!(record, Record::Authorization(_) | Record::Transaction(_))
}

/// A hash that identifies a record; it does not resist attacks.
pub fn hash(value: &impl Hash) -> u64 {
    let mut hasher = Folding::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Folds eight bytes at a time: everything that a night receives is hashed, and the hasher of the
/// standard library, which resists attacks on tables, takes several times as long.
#[derive(Default)]
pub(super) struct Folding(u64);

/// Builds that hasher for tables of ids.
pub(super) type Quick = std::hash::BuildHasherDefault<Folding>;

/// The fraction of the golden ratio, odd: a multiplication by it spreads every bit upwards.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

impl Folding {
    fn fold(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * u128::from(SPREAD);
        // Both halves, so that the high bits come down again.
        let (low, high) = (product & u128::from(u64::MAX), product >> 64);
        self.0 = u64::try_from(low ^ high).unwrap_or_default().rotate_left(23) ^ word;
    }
}

impl Hasher for Folding {
    fn finish(&self) -> u64 {
        let mut last = Self(self.0);
        last.fold(SPREAD);
        last.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.fold(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.fold(u64::from_le_bytes(last) ^ (bytes.len() as u64).rotate_left(56));
    }

    fn write_u8(&mut self, number: u8) {
        self.fold(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.fold(number);
    }

    fn write_i64(&mut self, number: i64) {
        self.fold(u64::from_ne_bytes(number.to_ne_bytes()));
    }
}

/// The currency and the amount that a record carries, where it carries both. A batch counts
/// with its sales less its returns.
pub(super) fn amount_of(record: &Record) -> Option<(Currency, Minor)> {
    match record {
        // Neither carries a currency.
        Record::Deposit(_) | Record::Fee(_) | Record::DisputeStatus(_) => None,
        Record::Dispute(dispute) => dispute.currency.zip(dispute.amount),
        Record::Batch(batch) => {
            let (sales, returns) = batch.sale_amount.zip(batch.return_amount)?;
            batch.currency.zip(sales.checked_sub(returns))
        }
        Record::Authorization(authorization) => authorization
            .currency
            .zip(authorization.transaction.as_ref().and_then(|transaction| transaction.amount)),
        Record::Transaction(transaction) => transaction.currency.zip(transaction.amount),
        Record::BankTransfer(transfer) => transfer.currency.zip(transfer.amount),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn hashes_what_differs_differently() {
        let mut seen = HashSet::new();
        for number in 0..200_000_u64 {
            assert!(seen.insert(hash(&number)), "{number}");
            assert!(seen.insert(hash(&(number, "USD"))), "{number}");
            assert!(seen.insert(hash(&number.to_string())), "{number}");
            assert!(seen.insert(hash(&(Some(1_i64), number.to_string()))), "{number}");
        }
        assert_ne!(hash(&("ab", "c")), hash(&("a", "bc")));
        assert_ne!(hash(&(Some(0_i64), None::<i64>)), hash(&(None::<i64>, Some(0_i64))));
        assert_eq!(hash(&"one"), hash(&"one"));
    }
}
