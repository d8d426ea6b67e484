//! The audit trail: who did what, when and why, in rows that are only ever added. Each row
//! carries the hash of the one before it, and triggers refuse every change.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use chrono::{DateTime, NaiveDate, Utc};
use rusqlite::{Connection, Row, Transaction, TransactionBehavior, named_params};

use super::columns::{parse_date, required_date, wrong};
use super::statement::rows;
use super::{Store, StoreError, While, sums};
use tieout_model::Assignment;
use tieout_model::clock;
use tieout_model::digest::sha256_hex;

/// The kinds of acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act {
    /// A discrepancy was accepted.
    Accept,
    /// An acceptance was taken back.
    Reopen,
    /// A discrepancy was assigned, or its ticket, due date or note was changed.
    Assign,
    /// A business date was prepared for the second of two people to sign off.
    Prepare,
    /// A business date was signed off.
    Close,
    /// The sign-off was taken back.
    ReopenDate,
    /// The files of a business date were written.
    Report,
    /// Page bodies past an age were removed.
    Prune,
    /// A run began: until it ends the tables change.
    Begin,
    /// The run ended.
    End,
}

impl Act {
    const ALL: [Self; 10] = [
        Self::Accept,
        Self::Reopen,
        Self::Assign,
        Self::Prepare,
        Self::Close,
        Self::ReopenDate,
        Self::Report,
        Self::Prune,
        Self::Begin,
        Self::End,
    ];

    /// The word that the store uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Reopen => "reopen",
            Self::Assign => "assign",
            Self::Prepare => "prepare",
            Self::Close => "close",
            Self::ReopenDate => "reopen date",
            Self::Report => "report",
            Self::Prune => "prune",
            Self::Begin => "begin",
            Self::End => "end",
        }
    }
}

/// An act to be added.
#[derive(Clone, Debug)]
pub struct NewAct<'text> {
    pub act: Act,
    /// The discrepancy's id, or the business date.
    pub subject: &'text str,
    /// The first business date that it counts for.
    pub business_date: NaiveDate,
    pub until: Option<NaiveDate>,
    pub who: &'text str,
    pub note: &'text str,
    /// Of an assignment, whose note is the act's.
    pub assigned: Option<&'text Assignment>,
}

/// A row of the trail.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct AuditRow {
    pub sequence: i64,
    pub moment: String,
    pub act: String,
    pub subject: String,
    pub business_date: NaiveDate,
    pub until: Option<NaiveDate>,
    pub who: String,
    pub note: String,
    /// SHA-256 over the sums of all tables as they were when it was added.
    #[serde(skip)]
    pub sums: String,
    #[serde(skip)]
    pub previous_hash: String,
    pub hash: String,
    /// Of an assignment: all that holds from then on. Empty for other acts.
    pub owner: String,
    pub ticket: String,
    pub due_date: Option<NaiveDate>,
}

impl AuditRow {
    /// The hash that the row must carry: over every field, each with its length before it, so that
    /// no two rows read alike. The fields of an assignment are hashed only where one is set, so
    /// that rows from before assignments existed keep their hashes.
    fn expected_hash(&self) -> String {
        let text_of = |date: Option<NaiveDate>| date.map(|date| date.to_string());
        let (sequence, date) = (self.sequence.to_string(), self.business_date.to_string());
        let until = text_of(self.until).unwrap_or_default();
        let due_date = text_of(self.due_date).unwrap_or_default();
        let mut fields = vec![
            sequence.as_str(),
            &self.moment,
            &self.act,
            &self.subject,
            &date,
            &until,
            &self.who,
            &self.note,
            &self.sums,
            &self.previous_hash,
        ];
        let assigned = [self.owner.as_str(), &self.ticket, &due_date];
        if assigned.iter().any(|field| !field.is_empty()) {
            fields.extend(assigned);
        }
        let mut text = String::new();
        for field in fields {
            // Writing into a String cannot fail.
            let _ = writeln!(text, "{}:{field}", field.len());
        }
        sha256_hex(text.as_bytes())
    }

    /// The assignment of an act.
    pub fn assignment(&self) -> Assignment {
        Assignment {
            owner: self.owner.clone(),
            ticket: self.ticket.clone(),
            due_date: self.due_date,
            note: self.note.clone(),
        }
    }
}

/// A part of the trail that differs from how it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrokenChain {
    /// The row differs from how it was added.
    Altered { sequence: i64 },
    /// The row does not follow the one before it.
    Unlinked { sequence: i64 },
    /// Rows are missing at the end, or the stored end of the chain was altered.
    Cut { expected: i64, found: i64 },
    /// The stored end of the chain is not exactly one row.
    Ends,
}

impl fmt::Display for BrokenChain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Altered { sequence } => {
                write!(formatter, "audit row {sequence} was altered: its hash does not fit it")
            }
            Self::Unlinked { sequence } => {
                write!(formatter, "audit row {sequence} does not follow the row before it")
            }
            Self::Cut { expected, found } => write!(
                formatter,
                "the audit trail should end with row {expected}, found {found} as its last"
            ),
            Self::Ends => write!(
                formatter,
                "the note of how the audit trail ends was altered: it is not one row, numbered 1"
            ),
        }
    }
}

const ADDING: &str = "adding to the audit trail";
const READING: &str = "reading the audit trail";

/// Every row of the audit trail, oldest first.
///
/// # Errors
/// When the store refuses.
pub fn all(store: &Store) -> Result<Vec<AuditRow>, StoreError> {
    let sql = include_str!("../sql/evidence/audit.sql");
    rows(&store.connection, sql, [], audit_row).during(READING)
}

/// Adds an act at the end of the trail.
///
/// # Errors
/// When the store refuses.
pub fn record(store: &Store, act: &NewAct<'_>, now: DateTime<Utc>) -> Result<AuditRow, StoreError> {
    lasting(store, |transaction| append(transaction, act, now)).during(ADDING)
}

/// Adds all of the acts, in their order, or none.
///
/// # Errors
/// When the store refuses.
pub fn record_all(
    store: &Store,
    acts: &[NewAct<'_>],
    now: DateTime<Utc>,
) -> Result<Vec<AuditRow>, StoreError> {
    let add =
        |transaction: &Connection| acts.iter().map(|act| append(transaction, act, now)).collect();
    lasting(store, add).during(ADDING)
}

/// Notes that a run begins which is to report `dates`.
///
/// # Errors
/// When the store refuses.
pub fn begin_run(store: &Store, dates: &[NaiveDate], now: DateTime<Utc>) -> Result<(), StoreError> {
    let note: Vec<String> = dates.iter().map(ToString::to_string).collect();
    record(store, &of_run(Act::Begin, &note.join(","), now), now).map(drop)
}

/// Notes that the run has ended, and that nothing is written from now on.
///
/// # Errors
/// When the store refuses.
pub fn end_run(store: &Store, now: DateTime<Utc>) -> Result<(), StoreError> {
    record(store, &of_run(Act::End, "", now), now).map(drop)
}

/// The dates that runs were to report which have begun and not ended: of a run that goes on, or of
/// one that was killed.
///
/// # Errors
/// When the store refuses.
pub fn unfinished_runs(store: &Store) -> Result<BTreeSet<NaiveDate>, StoreError> {
    let sql = include_str!("../sql/plan/interrupted_runs.sql");
    let notes: Vec<String> = rows(&store.connection, sql, [], |row| row.get(0)).during(READING)?;
    let dates = notes.iter().flat_map(|note| note.split(','));
    Ok(dates.filter_map(|date| date.parse().ok()).collect())
}

/// Writes in a transaction that outlives a power cut: what a person was told stands on the disk.
/// Other commits reach it with the next of these, or when the log is copied.
fn lasting<T>(
    store: &Store,
    write: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let connection = &store.connection;
    connection.pragma_update(None, "synchronous", "full")?;
    let write = || {
        let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
        let written = write(&transaction)?;
        transaction.commit()?;
        Ok(written)
    };
    let written = write();
    connection.pragma_update(None, "synchronous", "normal")?;
    written
}

/// Every row about `subject`, oldest first.
///
/// # Errors
/// When the store refuses.
pub fn acts_about(store: &Store, subject: &str) -> Result<Vec<AuditRow>, StoreError> {
    let sql = include_str!("../sql/report/acts_about.sql");
    rows(&store.connection, sql, [subject], audit_row).during(READING)
}

/// All problems of the chain; empty when it is intact.
///
/// # Errors
/// When the store refuses.
pub fn broken_chain(store: &Store) -> Result<Vec<BrokenChain>, StoreError> {
    let mut statement =
        store.connection().prepare(include_str!("../sql/evidence/audit.sql")).during(READING)?;
    let rows = statement.query_map([], audit_row).during(READING)?;
    let mut broken = Vec::new();
    let (mut last, mut previous_hash) = (0, String::new());
    for row in rows {
        let row = row.during(READING)?;
        if row.sequence != last + 1 || row.previous_hash != previous_hash {
            broken.push(BrokenChain::Unlinked { sequence: row.sequence });
        }
        if row.hash != row.expected_hash() {
            broken.push(BrokenChain::Altered { sequence: row.sequence });
        }
        (last, previous_hash) = (row.sequence, row.hash);
    }
    let is_one_row = "select count(*) = 1 and min(only_row) = 1 from audit_head";
    if !store.connection().query_row(is_one_row, [], |row| row.get(0)).during(READING)? {
        broken.push(BrokenChain::Ends);
        return Ok(broken);
    }
    let (expected, hash) = head(store.connection()).during(READING)?;
    if expected != last || hash != previous_hash {
        broken.push(BrokenChain::Cut { expected, found: last });
    }
    Ok(broken)
}

/// An act of the program about a run, whose date is the day on which it was.
fn of_run(act: Act, note: &str, now: DateTime<Utc>) -> NewAct<'_> {
    let (subject, business_date, who) = ("run", now.date_naive(), "tieout");
    NewAct { act, subject, business_date, until: None, who, note, assigned: None }
}

pub(super) fn head(connection: &Connection) -> rusqlite::Result<(i64, String)> {
    connection.query_row("select sequence, hash from audit_head", [], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// Adds an act within a transaction that holds the store for writing.
pub(super) fn append(
    connection: &Connection,
    act: &NewAct<'_>,
    now: DateTime<Utc>,
) -> rusqlite::Result<AuditRow> {
    let (last, previous_hash) = head(connection)?;
    let mut row = AuditRow {
        sequence: last + 1,
        moment: clock::written(now),
        act: act.act.as_str().to_owned(),
        subject: act.subject.to_owned(),
        business_date: act.business_date,
        until: act.until,
        who: act.who.to_owned(),
        note: act.note.to_owned(),
        sums: sums::digest(connection)?,
        previous_hash,
        hash: String::new(),
        owner: act.assigned.map(|assigned| assigned.owner.clone()).unwrap_or_default(),
        ticket: act.assigned.map(|assigned| assigned.ticket.clone()).unwrap_or_default(),
        due_date: act.assigned.and_then(|assigned| assigned.due_date),
    };
    row.hash = row.expected_hash();
    connection.prepare_cached(include_str!("../sql/ingest/audit.sql"))?.execute(named_params! {
        ":sequence": row.sequence,
        ":moment": row.moment,
        ":act": row.act,
        ":subject": row.subject,
        ":business_date": row.business_date.to_string(),
        ":until": row.until.map(|date| date.to_string()).unwrap_or_default(),
        ":who": row.who,
        ":note": row.note,
        ":sums": row.sums,
        ":previous_hash": row.previous_hash,
        ":hash": row.hash,
        ":owner": row.owner,
        ":ticket": row.ticket,
        ":due_date": row.due_date.map(|date| date.to_string()).unwrap_or_default(),
    })?;
    Ok(row)
}

pub(super) fn audit_row(row: &Row<'_>) -> rusqlite::Result<AuditRow> {
    let act: String = row.get("act")?;
    if !Act::ALL.iter().any(|known| known.as_str() == act) {
        return Err(wrong("act", &act));
    }
    let date = |column: &str| -> rusqlite::Result<Option<NaiveDate>> {
        let text: String = row.get(column)?;
        if text.is_empty() { Ok(None) } else { parse_date(column, &text).map(Some) }
    };
    Ok(AuditRow {
        sequence: row.get("sequence")?,
        moment: row.get("moment")?,
        act,
        subject: row.get("subject")?,
        business_date: required_date(row, "business_date")?,
        until: date("until")?,
        who: row.get("who")?,
        note: row.get("note")?,
        sums: row.get("sums")?,
        previous_hash: row.get("previous_hash")?,
        hash: row.get("hash")?,
        owner: row.get("owner")?,
        ticket: row.get("ticket")?,
        due_date: date("due_date")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tieout.db")).unwrap();
        for note in ["first", "second", "third"] {
            let act = NewAct {
                act: Act::Accept,
                subject: "0123456789abcdef",
                business_date: "2026-11-20".parse().unwrap(),
                until: None,
                who: "anna",
                note,
                assigned: None,
            };
            record(&store, &act, "2026-11-21T08:00:00Z".parse().unwrap()).unwrap();
        }
        (folder, store)
    }

    #[test]
    fn refuses_every_change_of_a_row() {
        let (_folder, store) = store();
        for sql in [
            "update audit set note = 'other' where sequence = 2",
            "delete from audit where sequence = 3",
            "insert or replace into audit select * from audit where sequence = 2",
            "insert into audit select 9, moment, act, subject, business_date, until, who, note, sums, \
             previous_hash, hash, owner, ticket, due_date from audit where sequence = 3",
        ] {
            let refused = store.connection().execute_batch(sql).unwrap_err();
            assert!(refused.to_string().contains("audit row"), "{sql}: {refused}");
        }
        assert_eq!(broken_chain(&store).unwrap(), []);
    }

    #[test]
    fn names_every_row_that_was_changed_behind_its_back() {
        for (column, value) in [
            ("act = 'assign', owner", "'ben'"),
            ("act = 'assign', ticket", "'T-1'"),
            ("act = 'assign', due_date", "'2026-12-01'"),
            ("moment", "'2026-11-21T08:00:01Z'"),
            ("act", "'reopen'"),
            ("subject", "'0123456789abcdee'"),
            ("business_date", "'2026-11-19'"),
            ("until", "'2026-12-01'"),
            ("who", "'ben'"),
            ("note", "''"),
            ("sums", "''"),
        ] {
            let (_folder, store) = store();
            let connection = store.connection();
            connection.execute_batch("drop trigger audit_is_never_changed").unwrap();
            let sql = format!("update audit set {column} = {value} where sequence = 2");
            connection.execute_batch(&sql).unwrap();
            assert_eq!(
                broken_chain(&store).unwrap(),
                [BrokenChain::Altered { sequence: 2 }],
                "{column}"
            );
        }
        for sequence in 1..=3 {
            let (_folder, store) = store();
            let sql = format!(
                "drop trigger audit_is_never_deleted; delete from audit where sequence = {sequence}"
            );
            store.connection().execute_batch(&sql).unwrap();
            assert_eq!(broken_chain(&store).unwrap().len(), 1, "row {sequence} deleted");
        }
    }
}
