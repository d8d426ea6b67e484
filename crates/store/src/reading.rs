//! The readings of a listing: how one begins, is resumed, and ends.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension};

use super::card_days::touch;
use super::statement::rows;
use tieout_model::{Listing, Resource, Selector};

/// A listing that is being read.
#[derive(Clone, Debug)]
pub struct Reading {
    pub listing: Listing,
    pub listing_id: i64,
    pub reading_id: i64,
    /// The fetch of a business date that reads it.
    pub session: i64,
    /// Cursors of the pages that are stored already, oldest first.
    pub cursors: Vec<String>,
    /// Pages stored already.
    pub pages: u32,
    /// The cursors after which further stretches of it begin, as an interrupted reading had chosen.
    pub starts: Vec<String>,
}

/// Whether a listing has to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Read in this session, even when an earlier one has stored it.
    ThisSession,
    /// A complete reading of any session is fresh enough.
    AnySession,
    /// Read once more, also when this session has read it before.
    OnceMore,
    /// Read in this session to see whether anything has changed; when that fails, the complete
    /// reading of an earlier session goes on to count.
    ThisSessionElseBefore,
}

/// The newest reading of a listing.
pub(super) struct Current {
    listing_id: i64,
    reading_id: i64,
    session: i64,
    verdict: String,
}

impl Current {
    pub(super) fn is_complete(&self) -> bool {
        self.verdict == "complete"
    }
}

pub(super) fn current_reading(
    connection: &Connection,
    listing: &Listing,
) -> rusqlite::Result<Option<Current>> {
    let (selector, scope, date) = listing.key();
    let date = date.map(|date| date.to_string()).unwrap_or_default();
    connection
        .prepare_cached(include_str!("../sql/ingest/current_reading.sql"))?
        .query_row((listing.resource.as_str(), selector, date, scope), |row| {
            Ok(Current {
                listing_id: row.get(0)?,
                reading_id: row.get(1)?,
                session: row.get(2)?,
                verdict: row.get(3)?,
            })
        })
        .optional()
}

/// The reading of `listing` to continue, or `None` when the stored one is fresh enough.
pub(super) fn begin_reading(
    connection: &Connection,
    listing: &Listing,
    session: i64,
    freshness: Freshness,
) -> rusqlite::Result<Option<Reading>> {
    let current = current_reading(connection, listing)?;
    if let Some(current) = &current {
        let is_ours = current.session == session;
        let will_do = match freshness {
            Freshness::ThisSession | Freshness::ThisSessionElseBefore => is_ours,
            Freshness::AnySession => true,
            Freshness::OnceMore => false,
        };
        if current.is_complete() && will_do {
            return Ok(None);
        }
        // A second reading starts from the first page: another date of the run may have read the
        // first pages of an interrupted one afresh.
        if current.verdict == "reading" && is_ours && freshness != Freshness::OnceMore {
            return resume_reading(connection, listing, current).map(Some);
        }
    }
    let fallback = current
        .as_ref()
        .filter(|current| current.is_complete())
        .filter(|_| freshness == Freshness::ThisSessionElseBefore)
        .map(|current| current.reading_id);
    let reading_id: i64 = connection
        .prepare_cached("select coalesce(max(reading_id), 0) + 1 from reading")?
        .query_row([], |row| row.get(0))?;
    let listing_id = if let Some(Current { listing_id, .. }) = current {
        connection
            .prepare_cached("update listing set reading_id = ?2 where listing_id = ?1")?
            .execute((listing_id, reading_id))?;
        listing_id
    } else {
        let (selector, scope, date) = listing.key();
        let date = date.map(|date| date.to_string()).unwrap_or_default();
        connection.prepare_cached(include_str!("../sql/ingest/begin_listing.sql"))?.insert((
            listing.resource.as_str(),
            selector,
            date,
            scope,
            reading_id,
        ))?
    };
    connection
        .prepare_cached(
            "insert into reading (reading_id, listing_id, session, verdict, fallback_reading) \
             values (?1, ?2, ?3, 'reading', ?4)",
        )?
        .execute((reading_id, listing_id, session, fallback))?;
    Ok(Some(Reading {
        listing: listing.clone(),
        listing_id,
        reading_id,
        session,
        cursors: Vec::new(),
        pages: 0,
        starts: Vec::new(),
    }))
}

/// Opens the newest reading of a listing again, when it is complete, to add to it: it is complete
/// again once it has ended again.
pub(super) fn reopen_reading(
    connection: &Connection,
    listing: &Listing,
) -> rusqlite::Result<Option<Reading>> {
    let current = current_reading(connection, listing)?.filter(Current::is_complete);
    let Some(current) = current else { return Ok(None) };
    connection
        .prepare_cached("update reading set verdict = 'reading' where reading_id = ?1")?
        .execute([current.reading_id])?;
    resume_reading(connection, listing, &current).map(Some)
}

fn resume_reading(
    connection: &Connection,
    listing: &Listing,
    current: &Current,
) -> rusqlite::Result<Reading> {
    let &Current { listing_id, reading_id, session, .. } = current;
    let mut statement = connection
        .prepare_cached("select next from page where reading_id = ?1 order by part, page_number")?;
    let cursors: Vec<Option<String>> =
        statement.query_map([reading_id], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let starts: String = connection
        .prepare_cached("select starts from reading where reading_id = ?1")?
        .query_row([reading_id], |row| row.get(0))?;
    Ok(Reading {
        listing: listing.clone(),
        listing_id,
        reading_id,
        session,
        pages: u32::try_from(cursors.len()).unwrap_or(u32::MAX),
        cursors: cursors.into_iter().flatten().collect(),
        starts: starts.split(',').filter(|one| !one.is_empty()).map(str::to_owned).collect(),
    })
}

/// The error that was noted against a reading when its pages were written.
pub(super) fn noted_error(
    connection: &Connection,
    reading: &Reading,
) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("select error from reading where reading_id = ?1")?
        .query_row([reading.reading_id], |row| row.get(0))
}

/// Gives a reading its verdict. A complete one determines which records are no longer listed.
pub(super) fn end_reading(
    connection: &Connection,
    reading: &Reading,
    error: Option<&str>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "select digest from page where reading_id = ?1 order by part, page_number",
    )?;
    let digests: Vec<String> = statement
        .query_map([reading.reading_id], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let digest = tieout_model::digest::sha256_hex(digests.join("\n").as_bytes());
    connection
        .prepare_cached(
            "update reading set verdict = ?2, digest = ?3, error = ?4 where reading_id = ?1",
        )?
        .execute((
            reading.reading_id,
            if error.is_some() { "incomplete" } else { "complete" },
            digest,
            error,
        ))?;
    connection
        .prepare_cached("delete from overtaken where reading_id = ?1")?
        .execute([reading.reading_id])?;
    if error.is_none() {
        mark_gone(connection, reading)?;
        add_up_transactions(connection, reading)?;
    } else {
        fall_back(connection, reading)?;
    }
    if reading.listing.resource == Resource::Fees {
        // Fees have no id: a listing that is read again replaces its earlier fees. The earlier
        // pages still hold them.
        connection
            .prepare_cached("delete from fee where listing_id = ?1 and reading < ?2")?
            .execute([reading.listing_id, reading.reading_id])?;
    }
    if reading.listing.resource == Resource::DisputeStatuses && error.is_none() {
        // A list that is read again replaces its earlier statuses.
        connection
            .prepare_cached("delete from dispute_status where listing_id = ?1 and reading < ?2")?
            .execute([reading.listing_id, reading.reading_id])?;
    }
    Ok(())
}

/// A failed re-reading of a past listing takes nothing away: the listing keeps its earlier reading.
fn fall_back(connection: &Connection, reading: &Reading) -> rusqlite::Result<()> {
    let fallback: Option<i64> = connection
        .prepare_cached("select fallback_reading from reading where reading_id = ?1")?
        .query_row([reading.reading_id], |row| row.get(0))?;
    let Some(before) = fallback else { return Ok(()) };
    connection
        .prepare_cached("update listing set reading_id = ?2 where listing_id = ?1")?
        .execute((reading.listing_id, before))?;
    connection
        .prepare_cached(
            "update transfer_listed set reading = ?3 \
             where listing_id = ?1 and reading = ?2 and first_reading < ?2",
        )?
        .execute((reading.listing_id, reading.reading_id, before))?;
    Ok(())
}

/// Adds up the totals by deposit of a complete listing of card transactions.
fn add_up_transactions(connection: &Connection, reading: &Reading) -> rusqlite::Result<()> {
    if reading.listing.resource != Resource::Transactions {
        return Ok(());
    }
    // Also for a batch: its transactions may have been linked or unlinked since.
    let date: Option<String> = match &reading.listing.selector {
        Selector::Date(date) => Some(date.to_string()),
        Selector::Batch(batch) => connection
            .prepare_cached(include_str!("../sql/ingest/day_to_add_up.sql"))?
            .query_row([batch.0], |row| row.get(0))
            .optional()?,
        _ => None,
    };
    let Some(date) = date else { return Ok(()) };
    connection.prepare_cached("delete from transaction_total where day = ?1")?.execute([&date])?;
    connection
        .prepare_cached(include_str!("../sql/ingest/transaction_totals.sql"))?
        .execute([&date])?;
    Ok(())
}

fn mark_gone(connection: &Connection, reading: &Reading) -> rusqlite::Result<()> {
    let sql = match (reading.listing.resource, &reading.listing.selector) {
        (Resource::Deposits, Selector::Date(_)) => {
            "update deposit set gone_in = ?1 where day = ?2 and reading < ?1 and gone_in is null"
        }
        (Resource::Batches, Selector::Date(_)) => {
            "update batch set gone_in = ?1 where day = ?2 and reading < ?1 and gone_in is null"
        }
        (Resource::Authorizations, Selector::Date(_)) => {
            "update authorization set gone_in = ?1 \
             where day = ?2 and reading < ?1 and gone_in is null returning day"
        }
        (Resource::Disputes, Selector::Date(_)) => {
            "update dispute set gone_in = ?1 where day = ?2 and reading < ?1 and gone_in is null"
        }
        (Resource::Transactions, Selector::Batch(_)) => {
            "update card_transaction set gone_in = ?1 \
             where day = (select day from batch where batch_id = cast(?2 as integer)) \
             and batch_id = cast(?2 as integer) and reading < ?1 and gone_in is null"
        }
        (Resource::Transactions, Selector::Date(_)) => {
            "update card_transaction set gone_in = ?1 \
             where day = ?2 and reading < ?1 and gone_in is null"
        }
        (Resource::Authorizations, Selector::Batch(_)) => {
            "update authorization set gone_in = ?1 \
             where day = (select day from batch where batch_id = cast(?2 as integer)) \
             and batch_id = cast(?2 as integer) and reading < ?1 and gone_in is null \
             returning day"
        }
        (Resource::Deposits, Selector::DepositById(_)) => {
            "update deposit set gone_in = ?1 \
             where ach_deposit_id = cast(?2 as integer) and reading < ?1 and gone_in is null"
        }
        (Resource::Authorizations, Selector::AuthorizationById(_)) => {
            "update authorization set gone_in = ?1 \
             where authorization_id = cast(?2 as integer) and reading < ?1 and gone_in is null \
             and not exists (select 1 from authorization as part \
             where part.authorization_id = cast(?2 as integer) and part.reading = ?1) \
             returning day"
        }
        // A batch by its id is an optional operation: a 404 proves nothing about the batch. Bank
        // transfers are listed in many places; their membership is kept by listing.
        _ => return Ok(()),
    };
    let (_, scope, date) = reading.listing.key();
    let selected = date.map_or(scope, |date| date.to_string());
    let gone: BTreeSet<String> =
        rows(connection, sql, (reading.reading_id, selected), |row| row.get(0))?;
    touch(connection, gone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    /// The versions of a record: the reading that replaced it, the last that held it, and whether
    /// it was gone.
    fn versions(connection: &Connection) -> Vec<(i64, i64, bool)> {
        connection
            .prepare("select replaced_in, reading, was_gone from record_version order by 1")
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect()
    }

    /// A record of the 20th that readings of a later night look for: 4 reads the 18th and finds
    /// it there, 5 reads the 20th and misses it. `steps` are these two in either order.
    fn moved(kind: &str, steps: &str) -> Vec<(i64, i64, bool)> {
        let store = Store::in_memory().unwrap();
        let connection = store.connection();
        connection.pragma_update(None, "foreign_keys", false).unwrap();
        let (key, more, values) = match kind {
            "deposit" => ("ach_deposit_id", "", ""),
            "batch" => ("batch_id", "", ""),
            _ => ("authorization_id", ", transaction_key, has_transaction", ", 0, 0"),
        };
        let insert = format!(
            "insert into {kind} ({key}, day, reading, first_reading, content{more}) \
             values (1, '2026-06-20', 1, 1, 0{values})"
        );
        connection.execute(&insert, []).unwrap();
        for step in steps.split_whitespace() {
            let sql = if step == "missed" {
                "set gone_in = 5 where day = '2026-06-20' and reading < 5 and gone_in is null"
            } else {
                "set day = '2026-06-18', reading = 4, gone_in = null where reading < 4"
            };
            connection.execute(&format!("update {kind} {sql}"), []).unwrap();
        }
        versions(connection)
    }

    #[test]
    fn a_record_that_moved_was_never_gone_whichever_listing_is_read_first() {
        for kind in ["deposit", "batch", "authorization"] {
            for steps in ["found missed", "missed found"] {
                assert_eq!(moved(kind, steps), [(4, 1, false)], "{kind}: {steps}");
            }
            assert_eq!(moved(kind, "missed"), [(5, 1, false)], "{kind}");
        }
    }
}
