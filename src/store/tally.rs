//! Counts distinct records by session, by number and by amount. One tally counts what was
//! received, a second one what was written; conservation says that they agree.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::ingest::Reading;
use crate::model::Record;
use crate::money::{Currency, Minor};

/// Records by number, and by amount where they carry a currency.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordSum {
    pub count: u64,
    /// Currency code to the sum in minor units.
    pub amounts: BTreeMap<String, i128>,
}

/// A record that an interrupted session has stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRecord {
    pub kind: String,
    pub id: String,
    pub reading_id: i64,
    pub carried: Option<(Currency, Minor)>,
}

/// The newest reading of a record that was counted, and what it carries.
type Counted = (i64, Option<(Currency, Minor)>);

/// Distinct records of every session.
#[derive(Debug, Default)]
pub struct Tally {
    sessions: HashMap<i64, HashMap<u64, Counted>>,
}

impl Tally {
    /// Counts the records of a page; one that was counted before is counted as it is now.
    pub fn page(&mut self, reading: &Reading, page: u32, records: &[Record]) {
        let counted = self.sessions.entry(reading.session).or_default();
        for (index, record) in records.iter().enumerate() {
            let key = match key_of(record) {
                Some((id, name)) => hash(&(name, id)),
                // Two equal fee lines are two fees: their place tells them apart.
                None => hash(&("fee", format!("{}/{}", reading.listing_id, ordinal(page, index)))),
            };
            count(counted, key, reading.reading_id, amount_of(record));
        }
    }

    /// Counts what an interrupted session had stored before.
    pub fn resume(&mut self, session: i64, records: &[SessionRecord]) {
        let counted = self.sessions.entry(session).or_default();
        for record in records {
            let key = hash(&(record.kind.as_str(), &record.id));
            count(counted, key, record.reading_id, record.carried);
        }
    }

    /// What a session came to.
    pub fn sum(&self, session: i64) -> RecordSum {
        let mut sum = RecordSum::default();
        for (_, carried) in self.sessions.get(&session).into_iter().flat_map(HashMap::values) {
            sum.count += 1;
            if let Some((currency, amount)) = carried {
                *sum.amounts.entry(currency.code().to_owned()).or_default() += i128::from(amount.0);
            }
        }
        sum
    }
}

fn count(
    counted: &mut HashMap<u64, Counted>,
    key: u64,
    reading_id: i64,
    carried: Option<(Currency, Minor)>,
) {
    let entry = counted.entry(key).or_insert((reading_id, None));
    if entry.0 <= reading_id {
        *entry = (reading_id, carried);
    }
}

/// The place of a fee line in its listing. Pages hold at most 100 lines by contract; a million
/// leaves room for any answer.
pub fn ordinal(page: u32, index: usize) -> i64 {
    i64::from(page) * 1_000_000 + i64::try_from(index).unwrap_or(i64::MAX)
}

/// A record's id and kind; `None` for a fee, which has no id.
pub fn key_of(record: &Record) -> Option<(String, &'static str)> {
    match record {
        Record::Deposit(deposit) => Some((deposit.ach_deposit_id.to_string(), "deposit")),
        Record::Fee(_) => None,
        Record::Batch(batch) => Some((batch.batch_id.to_string(), "batch")),
        Record::Authorization(authorization) => {
            Some((authorization.authorization_id.to_string(), "authorization"))
        }
        Record::BankTransfer(transfer) => {
            Some((transfer.transfer_id.to_string(), transfer.kind.as_str()))
        }
    }
}

/// A hash that is the same within one process.
pub fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The currency and the amount that a record carries, where it carries both. A batch counts
/// with its sales less its returns.
fn amount_of(record: &Record) -> Option<(Currency, Minor)> {
    match record {
        // Neither carries a currency.
        Record::Deposit(_) | Record::Fee(_) => None,
        Record::Batch(batch) => {
            let (sales, returns) = batch.sale_amount.zip(batch.return_amount)?;
            batch.currency.zip(sales.checked_sub(returns))
        }
        Record::Authorization(authorization) => authorization
            .currency
            .zip(authorization.transaction.as_ref().and_then(|transaction| transaction.amount)),
        Record::BankTransfer(transfer) => transfer.currency.zip(transfer.amount),
    }
}
