//! The merchants whose books new readings can have changed.

use std::collections::BTreeSet;

use super::columns::merchant_column;
use super::kept_books;
use super::statement::rows;
use super::{Store, StoreError, While};
use tieout_model::MerchantId;

/// The merchants whose books the readings since then can have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    merchants: BTreeSet<MerchantId>,
    /// A record may belong to any merchant.
    is_everybody: bool,
}

impl Touched {
    /// Whether matching the books of a merchant can give another result.
    pub fn holds(&self, merchant_id: &MerchantId) -> bool {
        self.is_everybody || self.merchants.contains(merchant_id)
    }
}

/// The newest reading before those that are under way.
///
/// # Errors
/// When the store refuses.
pub fn read_up_to(store: &Store) -> Result<i64, StoreError> {
    Ok(kept_books::seen(store)?.reading_id)
}

/// Whether anything was read since `reading_id`.
///
/// # Errors
/// When the store refuses.
pub fn was_read_since(store: &Store, reading_id: i64) -> Result<bool, StoreError> {
    store
        .connection
        .query_row(
            "select exists (select 1 from reading where reading_id > ?1)",
            [reading_id],
            |row| row.get(0),
        )
        .during("looking for new readings")
}

/// The merchants whose books readings since `reading_id` can have changed; a date must be
/// prepared.
///
/// # Errors
/// When the store refuses.
pub fn since(store: &Store, reading_id: i64) -> Result<Touched, StoreError> {
    let merchants = merchants(store, reading_id);
    let mut touched = Touched::default();
    for merchant in merchants.during("looking for merchants with changed books")? {
        match merchant {
            Some(merchant_id) => _ = touched.merchants.insert(merchant_id),
            None => touched.is_everybody = true,
        }
    }
    Ok(touched)
}

fn merchants(store: &Store, reading_id: i64) -> rusqlite::Result<Vec<Option<MerchantId>>> {
    let connection = &store.connection;
    connection.prepare_cached("delete from temp.touched_listing")?.execute([])?;
    let note = include_str!("../sql/plan/touched_listings.sql");
    connection.prepare_cached(note)?.execute([reading_id])?;
    let sql = store.query_of(include_str!("../sql/plan/touched_merchants.sql"))?;
    rows(connection, sql, [reading_id], |row| merchant_column(row, 0))
}
