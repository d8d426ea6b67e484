//! The pairs of a date as the store holds them: JSON arrays in pages of a fixed size, in the order
//! of the report. The view `match_result` shows them as rows.

use std::borrow::Cow;

use chrono::NaiveDate;
use rusqlite::{Connection, Row, Rows};
use serde::{Deserialize, Serialize};

use super::columns::{text, wrong};
use super::json_page::{self, JsonPage};
use tieout_model::money::{Currency, Minor};
use tieout_model::{MatchRow, MerchantId};

/// A pair in the order of its columns: type and id of the item, id of the record, merchant,
/// currency, both dates, both amounts, the difference, pass, order and note.
#[derive(Serialize, Deserialize)]
struct Columns<'page>(
    #[serde(borrow)] Cow<'page, str>,
    #[serde(borrow)] Cow<'page, str>,
    #[serde(borrow)] Cow<'page, str>,
    #[serde(borrow)] Cow<'page, str>,
    #[serde(borrow)] Cow<'page, str>,
    NaiveDate,
    NaiveDate,
    Option<i64>,
    Option<i64>,
    Option<i64>,
    #[serde(borrow)] Cow<'page, str>,
    #[serde(borrow)] Cow<'page, str>,
    #[serde(borrow)] Cow<'page, str>,
);

impl<'page> From<&'page MatchRow> for Columns<'page> {
    fn from(row: &'page MatchRow) -> Self {
        let minor = |amount: Option<Minor>| amount.map(|amount| amount.0);
        Self(
            row.item_type.as_str().into(),
            row.item_id.as_str().into(),
            row.ledger_id.as_str().into(),
            row.merchant_id.as_str().into(),
            row.currency.code().into(),
            row.item_date,
            row.ledger_date,
            minor(row.item_amount),
            minor(row.ledger_amount),
            minor(row.difference),
            row.pass.as_str().into(),
            row.order_id.as_str().into(),
            row.note.as_str().into(),
        )
    }
}

impl Columns<'_> {
    fn into_row(self) -> rusqlite::Result<MatchRow> {
        let Self(
            kind,
            item,
            record,
            merchant,
            currency,
            day,
            date,
            of,
            its,
            gap,
            pass,
            order,
            note,
        ) = self;
        Ok(MatchRow {
            item_type: kind.into(),
            item_id: item.into(),
            ledger_id: record.into(),
            merchant_id: MerchantId(merchant.into()),
            currency: Currency::from_code(&currency).ok_or_else(|| wrong("currency", &currency))?,
            item_date: day,
            ledger_date: date,
            item_amount: of.map(Minor),
            ledger_amount: its.map(Minor),
            difference: gap.map(Minor),
            pass: pass.into(),
            order_id: order.into(),
            note: note.into(),
        })
    }
}

/// The pages of pairs that come in order.
#[derive(Default)]
pub(super) struct Pages {
    page: JsonPage,
    first: i64,
}

impl Pages {
    /// Adds a pair; returns a full page as the place of its first pair and its text.
    pub(super) fn add(&mut self, row: &MatchRow) -> rusqlite::Result<Option<(i64, String)>> {
        self.page.add(&Columns::from(row))?;
        if self.page.is_full() { self.end() } else { Ok(None) }
    }

    /// The page that is not full; `None` where it is empty.
    pub(super) fn end(&mut self) -> rusqlite::Result<Option<(i64, String)>> {
        let page = std::mem::take(&mut self.page);
        let (first, rows) = (self.first, i64::try_from(page.rows()).unwrap_or_default());
        self.first += rows;
        if rows > 0 { page.finish().map(|text| Some((first, text))) } else { Ok(None) }
    }
}

/// Writes the rows of `matches.csv`.
pub(super) fn write(
    connection: &Connection,
    date: &str,
    matches: &[MatchRow],
) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(include_str!("../sql/ingest/match_page.sql"))?;
    let mut pages = Pages::default();
    let mut keep = |page: Option<(i64, String)>| match page {
        Some((first, rows)) => insert.execute((date, first, rows)).map(drop),
        None => Ok(()),
    };
    for row in matches {
        keep(pages.add(row)?)?;
    }
    keep(pages.end()?)
}

/// Reads pair after pair from the rows that `sql/report/matches.sql` selects.
pub(super) struct Pairs<'statement> {
    pages: Rows<'statement>,
    page: std::vec::IntoIter<MatchRow>,
}

impl<'statement> Pairs<'statement> {
    pub(super) fn of(pages: Rows<'statement>) -> Self {
        Self { pages, page: Vec::new().into_iter() }
    }

    pub(super) fn next(&mut self) -> rusqlite::Result<Option<MatchRow>> {
        loop {
            if let Some(row) = self.page.next() {
                return Ok(Some(row));
            }
            let Some(page) = self.pages.next()? else { return Ok(None) };
            self.page = read(page)?.into_iter();
        }
    }
}

fn read(page: &Row<'_>) -> rusqlite::Result<Vec<MatchRow>> {
    let rows: Vec<Columns<'_>> = json_page::read(text(page, 2)?)?;
    rows.into_iter().map(Columns::into_row).collect()
}
