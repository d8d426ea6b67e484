//! Ledger records as the store holds them: those of a file and date as JSON arrays, in pages of a
//! fixed size. A page is written, proved and read as one; the view `ledger_record` shows its
//! records as rows.

use std::borrow::Cow;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::columns::wrong;
use super::json_page::{self, JsonPage};
use super::tally::hash;
use tieout_matching::{Last4, Record};
use tieout_model::digest::Digester;
use tieout_model::money::{Currency, Minor};
use tieout_model::{LedgerKind, LedgerRecord, LedgerStatus, MerchantId};

/// A record in the order of its columns: line, merchant, id, kind, amount, currency, order,
/// reference, last four and status.
#[derive(Serialize, Deserialize)]
struct Columns<'page>(
    u64,
    #[serde(borrow)] Cow<'page, str>,
    #[serde(borrow)] Cow<'page, str>,
    #[serde(borrow)] Cow<'page, str>,
    i64,
    #[serde(borrow)] Cow<'page, str>,
    #[serde(borrow)] Option<Cow<'page, str>>,
    #[serde(borrow)] Option<Cow<'page, str>>,
    #[serde(borrow)] Option<Cow<'page, str>>,
    #[serde(borrow)] Cow<'page, str>,
);

/// A page that records are added to.
#[derive(Default)]
pub(super) struct RecordPage {
    page: JsonPage,
    /// Four bytes a record: the hash of its id.
    ids: Vec<u8>,
    /// Records with the status returned.
    returned: i64,
}

/// A page as it is stored.
pub(super) struct Written {
    pub(super) digest: String,
    pub(super) ids: Vec<u8>,
    pub(super) returned: i64,
    pub(super) text: String,
}

impl RecordPage {
    pub(super) fn add(&mut self, record: &LedgerRecord) -> rusqlite::Result<()> {
        let columns = Columns(
            record.line,
            record.merchant_id.as_str().into(),
            record.ledger_id.as_str().into(),
            record.kind.as_str().into(),
            record.amount.0,
            record.currency.code().into(),
            record.order_id.as_deref().map(Cow::from),
            record.reference.as_deref().map(Cow::from),
            record.last4.as_deref().map(Cow::from),
            record.status.as_str().into(),
        );
        self.ids.extend(id_hash(&record.ledger_id));
        self.returned += i64::from(record.status == LedgerStatus::Returned);
        self.page.add(&columns)
    }

    pub(super) fn rows(&self) -> usize {
        self.page.rows()
    }

    pub(super) fn is_full(&self) -> bool {
        self.page.is_full()
    }

    pub(super) fn finish(self) -> rusqlite::Result<Written> {
        let (ids, returned, text) = (self.ids, self.returned, self.page.finish()?);
        Ok(Written { digest: digest(&ids, returned, &text), ids, returned, text })
    }
}

/// The digest that proves a page.
pub(super) fn digest(ids: &[u8], returned: i64, text: &str) -> String {
    let mut digester = Digester::default();
    digester.add(ids);
    digester.add(&returned.to_be_bytes());
    digester.add(text.as_bytes());
    digester.finish()
}

/// The records of a page, each with its merchant.
pub(super) fn read(
    date: NaiveDate,
    text: &str,
) -> rusqlite::Result<impl Iterator<Item = rusqlite::Result<(MerchantId, Record)>>> {
    let rows: Vec<Columns<'_>> = json_page::read(text)?;
    Ok(rows.into_iter().map(move |row| record(date, row)))
}

fn record(date: NaiveDate, row: Columns<'_>) -> rusqlite::Result<(MerchantId, Record)> {
    let Columns(line, merchant, id, kind, amount, currency, order, reference, last4, status) = row;
    let record = Record {
        line: u32::try_from(line).unwrap_or(u32::MAX),
        ledger_id: id.into(),
        kind: LedgerKind::from_name(&kind).ok_or_else(|| wrong("kind", &kind))?,
        date,
        amount: Minor(amount),
        currency: Currency::from_code(&currency).ok_or_else(|| wrong("currency", &currency))?,
        order_id: order.map(Into::into),
        reference: reference.map(Into::into),
        last4: last4.as_deref().and_then(Last4::from_digits),
        status: LedgerStatus::from_name(&status).ok_or_else(|| wrong("status", &status))?,
        day_not_read: false,
    };
    Ok((MerchantId(merchant.into()), record))
}

pub(super) const HASH_BYTES: usize = 4;

/// The hash of an id that a page stores, so that pages without it need not be read.
pub(super) fn id_hash(id: &str) -> [u8; HASH_BYTES] {
    let [a, b, c, d, ..] = hash(&id).to_le_bytes();
    [a, b, c, d]
}
