//! The id of a store and the head of its audit trail: the anchor that is kept outside.

use super::trail::head;
use super::{Store, StoreError, While};
use tieout_model::StoreStamp;

const READING: &str = "reading the id of the store and the head of the audit trail";

/// The store's id and the head of its audit trail as it is now.
///
/// # Errors
/// When the store refuses.
pub fn of(store: &Store) -> Result<StoreStamp, StoreError> {
    let connection = store.connection();
    let id = connection.query_row("select id from store_id", [], |row| row.get(0));
    let (audit_rows, audit_head) = head(connection).during(READING)?;
    Ok(StoreStamp { id: id.during(READING)?, audit_rows, audit_head })
}
