//! A page that is ready to be written, its evidence, and why it cannot be written.

use crate::page_number::PageNumber;
use crate::tally::hash;
use tieout_model::digest::sha256_hex;
use tieout_model::{Record, TWO_CONTENTS};

/// zstd level of the evidence: the fastest; pages are stored once and seldom read.
const EVIDENCE_LEVEL: i32 = 1;

/// A page ready to be written.
#[derive(Clone, Debug)]
pub struct PageContent {
    pub number: PageNumber,
    /// The cursor that asked for it.
    pub after: Option<String>,
    /// The cursor of the page after it; `None` on the last.
    pub next: Option<String>,
    pub records: Vec<Record>,
    /// The part of the page that could not be parsed; then its listing is not complete.
    pub fault: Option<String>,
    /// Size of the body as received, in bytes.
    pub received_bytes: u64,
}

/// A page's JSON without private fields, compressed, and its records' hashes.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// SHA-256 of the JSON, hexadecimal.
    pub digest: String,
    /// zstd.
    pub content: Vec<u8>,
    /// A hash of the whole content of each record, in order.
    pub(super) hashes: Vec<i64>,
}

impl Evidence {
    /// The evidence of a page with these records.
    #[expect(
        clippy::cast_possible_wrap,
        reason = "SQLite has no unsigned integers; only equality counts"
    )]
    pub fn of(digest: String, content: Vec<u8>, records: &[Record]) -> Self {
        let hashes = records.iter().map(|record| hash(record) as i64).collect();
        Self { digest, content, hashes }
    }
}

/// Makes evidence of pages. Its tables are half a megabyte: too much to be allocated for each page.
pub(crate) struct Packer(zstd::bulk::Compressor<'static>);

impl Packer {
    /// Ready to pack.
    ///
    /// # Errors
    /// When zstd has no memory left.
    pub fn new() -> std::io::Result<Self> {
        zstd::bulk::Compressor::new(EVIDENCE_LEVEL).map(Self)
    }

    /// Compresses `json` and hashes `records`.
    ///
    /// # Errors
    /// When zstd has no memory left.
    pub fn pack(&mut self, json: &[u8], records: &[Record]) -> std::io::Result<Evidence> {
        Ok(Evidence::of(sha256_hex(json), self.0.compress(json)?, records))
    }
}

/// Why a page cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    #[error("{listing}, {page}: {record}: {TWO_CONTENTS}")]
    TwoContents { listing: String, page: PageNumber, record: String },
    #[error("{listing}, some page: received {received} distinct records, stored {stored}")]
    NotConserved { listing: String, received: u64, stored: u64 },
    #[error("the store refused a row")]
    Sql(#[from] rusqlite::Error),
}

/// Whether this is the error of a reading in which a record has two contents, also of a reading
/// that an earlier run began.
pub fn names_two_contents(error: &str) -> bool {
    error.contains(TWO_CONTENTS)
}

/// The counts of a written page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Distinct records that it added to the reading.
    pub added: u64,
    /// Records that the reading held already.
    pub repeated: u64,
}
