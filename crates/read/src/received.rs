//! The records of a listing so far, to find records that it lists twice with different contents.

use std::collections::HashMap;

use crate::api::Page;
use crate::progress;
use tieout_model::{Listing, Record};
use tieout_store::{IngestError, PageNumber, hash, is_card};

/// Records of a listing, counted each time they are listed; the writer finds the repeated ones,
/// also across a kill. A record that is listed twice with one content counts once; with two
/// contents it makes the listing incomplete. Authorizations are too many to remember here: the
/// writer compares them.
pub(super) struct Received {
    pub(super) count: u64,
    contents: HashMap<u64, u64>,
    shown: progress::Reading,
}

impl Received {
    pub(super) fn begin(listing: &Listing) -> Self {
        Self { count: 0, contents: HashMap::new(), shown: progress::Reading::begin(listing) }
    }

    /// Sets the approximate number of records to expect.
    pub(super) fn expect(&mut self, records: u64) {
        self.shown.expect(records);
    }

    pub(super) fn count(&mut self, records: usize) {
        self.shown.page(records);
        self.count += records as u64;
    }

    /// # Errors
    /// When a record's content differs from the one listed before.
    pub(super) fn compare(
        &mut self,
        listing: &Listing,
        page: PageNumber,
        records: &[Record],
    ) -> Result<(), String> {
        let mut twice = Ok(());
        for record in records.iter().filter(|record| !is_card(record)) {
            // Two equal fee lines are two fees.
            let Some(key) = record.key() else { continue };
            let content = hash(record);
            let before = self.contents.insert(hash(&key), content);
            if before.is_some_and(|before| before != content) {
                let (listing, record) = (listing.to_string(), key.to_string());
                twice = Err(IngestError::TwoContents { listing, page, record }.to_string());
            }
        }
        twice
    }
}

/// Describes the first record of a page that could not be understood, and counts the others.
pub(super) fn in_words(listing: &Listing, number: PageNumber, page: &Page) -> Option<String> {
    let fault = page.faults.first()?;
    let field = if fault.field.is_empty() { "" } else { ", field " };
    let more = match page.faults.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Some(format!(
        "{listing}, {number}: {}{field}{}: {}{more}",
        fault.record, fault.field, fault.problem
    ))
}
