//! Retention: removes the bodies of old pages, and nothing else. Pages behind an open discrepancy
//! stay, and the audit trail records which were removed.

use chrono::{DateTime, NaiveDate, Utc};
use rusqlite::Connection;

use super::trail::{self, Act, NewAct};
use super::{Store, StoreError, While};
use tieout_model::digest::Digester;

/// The result of a removal.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Pruned {
    pub pages: usize,
    /// Compressed, as stored.
    pub bytes: u64,
    /// Older pages that stay, as open discrepancies rest on them.
    pub kept: usize,
}

const DURING: &str = "removing old pages";

/// The pages that [`prune`] would remove.
///
/// # Errors
/// When the store refuses.
pub fn prunable(store: &Store, before: NaiveDate) -> Result<Pruned, StoreError> {
    let (pruned, _) = find(store.connection(), before).during(DURING)?;
    Ok(pruned)
}

/// Removes the bodies of pages that were read only for dates before `before`, in one
/// transaction with the row of the audit trail that records it.
///
/// # Errors
/// When the store refuses; then nothing is removed.
pub fn prune(
    store: &mut Store,
    before: NaiveDate,
    who: &str,
    now: DateTime<Utc>,
) -> Result<Pruned, StoreError> {
    let transaction = store.connection.transaction().during(DURING)?;
    let (pruned, digests) = find(&transaction, before).during(DURING)?;
    if digests.is_empty() {
        return Ok(pruned);
    }
    let note = format!(
        "{} pages read for dates before {before}, sha256 {}",
        digests.len(),
        seal(&digests)
    );
    let act = NewAct {
        act: Act::Prune,
        subject: "pages",
        business_date: before,
        until: None,
        assigned: None,
        who,
        note: &note,
    };
    let row = trail::append(&transaction, &act, now).during(DURING)?;
    let mut remove = transaction
        .prepare("update page_body set content = null, pruned_by = ?2 where digest = ?1")
        .during(DURING)?;
    for digest in &digests {
        remove.execute((digest, row.sequence)).during(DURING)?;
    }
    drop(remove);
    transaction.commit().during(DURING)?;
    // The room goes back to the disk, or to the next night's pages when that fails.
    let _ = store.connection().execute_batch("pragma wal_checkpoint(truncate); vacuum");
    Ok(pruned)
}

/// Removed pages that no row of the audit trail accounts for, a sentence each.
///
/// # Errors
/// When the store refuses.
pub fn unaccounted(store: &Store) -> Result<Vec<String>, StoreError> {
    let connection = store.connection();
    let mut statement =
        connection.prepare(include_str!("../sql/evidence/prunings.sql")).during(DURING)?;
    let rows: Vec<(i64, Option<String>)> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .and_then(Iterator::collect)
        .during(DURING)?;
    let mut digests =
        connection.prepare("select digest from page_body where pruned_by = ?1 order by digest");
    let statement = digests.as_mut().map_err(|_| StoreError::WriterStopped)?;
    let mut problems = Vec::new();
    for (sequence, note) in rows {
        let removed: Vec<String> = statement
            .query_map([sequence], |row| row.get(0))
            .and_then(Iterator::collect)
            .during(DURING)?;
        let seal = format!("sha256 {}", seal(&removed));
        if !note.is_some_and(|note| note.ends_with(&seal)) {
            problems.push(format!(
                "{} pages were removed as if by audit row {sequence}, which does not record it",
                removed.len()
            ));
        }
    }
    Ok(problems)
}

fn seal(digests: &[String]) -> String {
    let mut digester = Digester::default();
    for digest in digests {
        digester.add(digest.as_bytes());
    }
    digester.finish()
}

/// The digests of the pages that can go, in order.
fn find(connection: &Connection, before: NaiveDate) -> rusqlite::Result<(Pruned, Vec<String>)> {
    connection.execute_batch("drop table if exists temp.kept_days")?;
    connection.execute_batch(include_str!("../sql/evidence/kept_days.sql"))?;
    let mut statement = connection.prepare(include_str!("../sql/evidence/prunable.sql"))?;
    let mut rows = statement.query([before.to_string()])?;
    let (mut pruned, mut digests) = (Pruned::default(), Vec::new());
    while let Some(row) = rows.next()? {
        if row.get::<_, bool>("is_kept")? {
            pruned.kept += 1;
            continue;
        }
        pruned.pages += 1;
        pruned.bytes += u64::try_from(row.get::<_, i64>("bytes")?).unwrap_or_default();
        digests.push(row.get("digest")?);
    }
    Ok((pruned, digests))
}
