//! A record that is listed again: its content must not change within one reading.

use rusqlite::Connection;

use super::page::{IngestError, PageContent};
use crate::reading::Reading;
use tieout_model::Record;

/// A row of a record that this reading or a newer one holds.
pub(super) struct Held {
    pub(super) id: i64,
    /// Distinguishes the records of one authorization; 0 for all others.
    pub(super) part: i64,
    pub(super) reading_id: i64,
    /// A hash of the content in that reading.
    pub(super) content: i64,
}

impl Held {
    /// The content that `reading` noted when it listed the record before; else notes `content` for
    /// it.
    pub(super) fn said_before(
        &self,
        connection: &Connection,
        reading: &Reading,
        content: i64,
    ) -> rusqlite::Result<Option<i64>> {
        if self.reading_id == reading.reading_id {
            return Ok(Some(self.content));
        }
        // A newer reading holds the record: it counts as stored, though not by this reading.
        let own = Self { reading_id: reading.reading_id, content, ..*self };
        if own.note_overtaken(connection)? {
            return Ok(None);
        }
        connection
            .prepare_cached(
                "select content from overtaken \
                 where reading_id = ?1 and record_id = ?2 and part = ?3",
            )?
            .query_row((reading.reading_id, self.id, self.part), |row| row.get(0))
            .map(Some)
    }

    /// Notes the content of its reading, as a newer one holds the record; returns whether that is
    /// new.
    pub(super) fn note_overtaken(&self, connection: &Connection) -> rusqlite::Result<bool> {
        let noted = connection
            .prepare_cached(
                "insert or ignore into overtaken (reading_id, record_id, part, content) \
                 values (?1, ?2, ?3, ?4)",
            )?
            .execute((self.reading_id, self.id, self.part, self.content))?;
        Ok(noted > 0)
    }
}

/// Returns whether a record is listed for the first time; one that was listed before must have the
/// same content.
pub(super) fn is_first(
    reading: &Reading,
    page: &PageContent,
    record: &Record,
    said: Option<i64>,
    content: i64,
) -> Result<bool, IngestError> {
    match said {
        Some(said) if said != content => Err(two_contents(reading, page, record)),
        said => Ok(said.is_none()),
    }
}

pub(super) fn two_contents(reading: &Reading, page: &PageContent, record: &Record) -> IngestError {
    IngestError::TwoContents {
        listing: reading.listing.to_string(),
        page: page.number,
        record: record.key().map(|key| key.to_string()).unwrap_or_default(),
    }
}
