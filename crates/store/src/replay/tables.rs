//! The tables whose rows pages prove.

use std::collections::BTreeMap;
use std::rc::Rc;

use rusqlite::types::Value;

/// A table of records, and how a row is found and named.
pub(super) struct Table {
    pub(super) name: &'static str,
    /// Columns that identify a row.
    pub(super) key: &'static [&'static str],
    /// The column of its reading.
    pub(super) reading: &'static str,
    /// Columns that state how it was stored, which no page contains.
    pub(super) ignored: &'static [&'static str],
}

pub(super) const RECORDS: [Table; 6] = [
    Table {
        name: "deposit",
        key: &["ach_deposit_id"],
        reading: "reading",
        ignored: &["first_reading", "content", "gone_in"],
    },
    Table {
        name: "batch",
        key: &["batch_id"],
        reading: "reading",
        ignored: &["first_reading", "content", "gone_in"],
    },
    Table {
        name: "authorization",
        key: &["authorization_id", "transaction_key"],
        reading: "reading",
        ignored: &["first_reading", "content", "gone_in"],
    },
    Table {
        name: "card_transaction",
        key: &["transaction_id"],
        reading: "reading",
        ignored: &["content", "gone_in"],
    },
    Table {
        name: "bank_transfer",
        key: &["kind", "transfer_id"],
        reading: "reading",
        ignored: &["transfer_number", "first_reading", "content"],
    },
    Table {
        name: "dispute",
        key: &["dispute_id"],
        reading: "reading",
        ignored: &["content", "gone_in"],
    },
];

pub(super) const FEE: Table =
    Table { name: "fee", key: &["listing_id", "ordinal"], reading: "reading", ignored: &[] };

pub(super) const DISPUTE_STATUS: Table = Table {
    name: "dispute_status",
    key: &["listing_id", "ordinal"],
    reading: "reading",
    ignored: &[],
};

pub(super) const LISTED: Table = Table {
    name: "listed_transfer",
    key: &["listing_id", "transfer_id"],
    reading: "reading",
    ignored: &["first_reading"],
};

pub(super) type Columns = BTreeMap<Rc<str>, Value>;
