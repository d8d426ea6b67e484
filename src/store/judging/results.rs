//! Reads what the temporary tables of a date hold: the rows of the reports before their
//! verdicts, the listings that the date rests on, and what a session received and stored.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use rusqlite::{Row, named_params};

use super::columns::{currency_column, minor_column, required_date};
use super::outcome::{batch_figures, deposit_figures, dispute, transit};
use super::session::ListingState;
use super::tally::{RecordSum, SessionRecord};
use super::{Store, StoreError, While};
use crate::model::{BatchRow, DepositRow, DisputeRow, TransitRow, Verdict};
use crate::money::{Currency, Minor};

/// A row and what its verdict depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unjudged<R> {
    pub row: R,
    /// Not fully paid and not due.
    pub is_in_transit: bool,
    /// Its merchant is checked at all.
    pub is_checked: bool,
    /// A listing that tells whether it was paid is not complete.
    pub is_unread: bool,
}

/// The figures of a merchant and currency on a date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryFigures {
    pub merchant_id: String,
    pub merchant_name: String,
    pub currency: Option<Currency>,
    pub deposits: i64,
    pub deposited_net: Option<Minor>,
    pub batches: i64,
    pub items: i64,
    pub items_amount: Option<Minor>,
    pub is_checked: bool,
}

/// A listing by id, by deposit or by batch that could not be read again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedRead {
    pub resource: String,
    pub selector: String,
    pub scope: String,
    pub error: String,
}

/// Terminals that earlier dates were reconciled without, since they were not configured then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAsked {
    pub merchant_id: String,
    /// Joined with commas.
    pub terminal_ids: String,
    pub first_date: NaiveDate,
    pub last_date: NaiveDate,
}

const READING: &str = "reading the results of a date";

impl Store {
    /// The deposits paid on the prepared date.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn unjudged_deposits(&self) -> Result<Vec<Unjudged<DepositRow>>, StoreError> {
        self.select(include_str!("../../sql/report/deposits.sql"), |row| {
            Ok(Unjudged {
                row: deposit_figures(row, Verdict::Tied)?,
                is_in_transit: row.get::<_, Option<bool>>("is_in_transit")?.unwrap_or(false),
                is_checked: row.get("is_checked")?,
                is_unread: false,
            })
        })
    }

    /// The batches of the prepared date.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn unjudged_batches(&self) -> Result<Vec<Unjudged<BatchRow>>, StoreError> {
        self.select(include_str!("../../sql/report/batches.sql"), |row| {
            Ok(Unjudged {
                row: batch_figures(row, Verdict::Tied)?,
                is_in_transit: row.get::<_, Option<bool>>("is_in_transit")?.unwrap_or(false),
                is_checked: row.get("is_checked")?,
                is_unread: row.get("is_unread")?,
            })
        })
    }

    /// What is in transit as of the prepared date.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn in_transit(&self) -> Result<Vec<TransitRow>, StoreError> {
        self.select(include_str!("../../sql/report/in_transit.sql"), transit)
    }

    /// From which dates on something is not known to have arrived, by merchant; an empty one
    /// stands for all of them.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn open_since(&self, bank_days: u32) -> Result<Vec<(String, NaiveDate)>, StoreError> {
        let mut statement = self
            .connection()
            .prepare_cached(include_str!("../../sql/report/open_since.sql"))
            .during(READING)?;
        let rows = statement.query_map(named_params! { ":bank_days": bank_days }, |row| {
            Ok((row.get("merchant_id")?, required_date(row, "day")?))
        });
        rows.and_then(Iterator::collect).during(READING)
    }

    /// Where disputes stand as of the prepared date.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn dispute_rows(&self) -> Result<Vec<DisputeRow>, StoreError> {
        self.select(include_str!("../../sql/report/disputes.sql"), dispute)
    }

    /// The figures of each merchant and currency on the prepared date.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn summary_figures(&self) -> Result<Vec<SummaryFigures>, StoreError> {
        self.select(include_str!("../../sql/report/summary.sql"), |row| {
            Ok(SummaryFigures {
                merchant_id: row.get("merchant_id")?,
                merchant_name: row.get("merchant_name")?,
                currency: currency_column(row, "currency")?,
                deposits: row.get("deposits")?,
                deposited_net: minor_column(row, "deposited_net_minor")?,
                batches: row.get("batches")?,
                items: row.get("items")?,
                items_amount: minor_column(row, "items_amount_minor")?,
                is_checked: row.get("is_checked")?,
            })
        })
    }

    /// The listings that the prepared date rests on.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn date_listings(&self) -> Result<Vec<ListingState>, StoreError> {
        self.select(include_str!("../../sql/report/date_listings.sql"), super::session::state)
    }

    /// Records without a merchant listed on the prepared date: kind and id.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn nameless_records(&self) -> Result<Vec<(String, String)>, StoreError> {
        self.select(include_str!("../../sql/report/nameless.sql"), |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
    }

    /// Every merchant with the name that the reports show and the calendar that counts.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn merchant_rules(&self) -> Result<BTreeMap<String, (String, String)>, StoreError> {
        self.select("select merchant_id, name, calendar from temp.merchants", |row| {
            Ok((row.get::<_, String>(0)?, (row.get::<_, String>(1)?, row.get::<_, String>(2)?)))
        })
        .map(|rules| rules.into_iter().collect())
    }

    /// What could not be read again in the session of `date`.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn failed_reads(&self, date: NaiveDate) -> Result<Vec<FailedRead>, StoreError> {
        let mut statement = self
            .connection()
            .prepare_cached(include_str!("../../sql/report/failed_reads.sql"))
            .during(READING)?;
        let rows = statement.query_map([date.to_string()], |row| {
            Ok(FailedRead {
                resource: row.get("resource")?,
                selector: row.get("selector")?,
                scope: row.get("scope")?,
                error: row
                    .get::<_, Option<String>>("error")?
                    .unwrap_or_else(|| "its reading was interrupted".to_owned()),
            })
        });
        rows.and_then(Iterator::collect).during(READING)
    }

    /// Whose bank transfers nobody asked for on dates before the prepared one, as far as the
    /// look-back reaches.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn not_asked(&self) -> Result<Vec<NotAsked>, StoreError> {
        let mut statement = self
            .connection()
            .prepare_cached(include_str!("../../sql/report/not_asked.sql"))
            .during(READING)?;
        let rows = statement.query_map([], |row| {
            Ok(NotAsked {
                merchant_id: row.get("merchant_id")?,
                terminal_ids: row.get("terminal_ids")?,
                first_date: required_date(row, "first_date")?,
                last_date: required_date(row, "last_date")?,
            })
        });
        rows.and_then(Iterator::collect).during(READING)
    }

    /// The records that an interrupted session has stored.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn session_records(&self, session: i64) -> Result<Vec<SessionRecord>, StoreError> {
        let mut statement = self
            .connection()
            .prepare_cached(include_str!("../../sql/report/session_records.sql"))
            .during(READING)?;
        let rows = statement.query_map([session], |row| {
            let currency = currency_column(row, "currency")?;
            Ok(SessionRecord::One {
                kind: row.get("kind")?,
                id: row.get("id")?,
                reading_id: row.get("reading")?,
                carried: currency.zip(minor_column(row, "amount_minor")?),
            })
        });
        let mut records: Vec<_> = rows.and_then(Iterator::collect).during(READING)?;
        records.push(SessionRecord::Cards(self.session_cards(session)?));
        Ok(records)
    }

    /// The authorizations and card transactions that a session has stored, added up.
    fn session_cards(&self, session: i64) -> Result<RecordSum, StoreError> {
        let mut statement = self
            .connection()
            .prepare_cached(include_str!("../../sql/report/session_cards.sql"))
            .during(READING)?;
        let mut sum = RecordSum::default();
        let mut rows = statement.query([session]).during(READING)?;
        while let Some(row) = rows.next().during(READING)? {
            let currency = currency_column(row, "currency").during(READING)?;
            let amount = minor_column(row, "amount_minor").during(READING)?;
            sum.add(currency.zip(amount));
        }
        Ok(sum)
    }

    fn select<T>(
        &self,
        sql: &str,
        read: fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.connection().prepare(sql).during(READING)?;
        let rows = statement.query_map([], read);
        rows.and_then(Iterator::collect).during(READING)
    }
}
