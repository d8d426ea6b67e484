//! The state file: an `SQLite` database with every executed command and every given answer, in
//! order. Executing the commands again gives the state. A file belongs to the world that it was
//! started with.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension, named_params};

use super::live::{Command, Refusal};
use super::world::World;

const CREATE: &str = include_str!("../sql/create.sql");
const APPEND: &str = include_str!("../sql/append.sql");
const ENTRIES: &str = include_str!("../sql/entries.sql");

/// Raised when older files can no longer be read.
const FORMAT: u32 = 1;

/// Why a state file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    #[error("state file {path} cannot be opened or written")]
    Database { path: PathBuf, source: rusqlite::Error },
    #[error("state file {path} cannot be made")]
    Create { path: PathBuf, source: std::io::Error },
    #[error("state file {path} has format {found}, expected {FORMAT}\nhint: start a new one")]
    Format { path: PathBuf, found: u32 },
    #[error(
        "state file {path} belongs to another world\n\
         hint: serve the world that it was started with, or start a new one"
    )]
    OtherWorld { path: PathBuf },
    #[error("state file {path} holds an entry that cannot be read: number {sequence}")]
    Entry { path: PathBuf, sequence: i64 },
    #[error("state file {path} holds a command that its world refuses: number {sequence}")]
    Refused { path: PathBuf, sequence: i64, source: Refusal },
    #[error("state file {path} failed before; later changes are not in it")]
    Behind { path: PathBuf },
}

/// The answer to a request with an Idempotency-Key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Digest of method, path and body, by which the same request is recognised.
    pub request: String,
    pub status: u16,
    pub location: Option<String>,
    pub body: Vec<u8>,
}

/// One entry of a state file.
#[derive(Debug)]
pub struct Entry {
    pub sequence: i64,
    /// `None` for a refused request, for which only the answer is kept.
    pub command: Option<Command>,
    /// The Idempotency-Key and the answer given under it.
    pub answered: Option<(String, Answered)>,
}

/// An open state file.
#[derive(Debug)]
pub struct Journal {
    /// The writer has exclusive access to the state; the lock is needed because readers share it.
    connection: Mutex<Connection>,
    path: PathBuf,
    is_behind: bool,
}

impl Journal {
    /// Opens the state file at `path`, or starts one for `world` whose clock starts at `now`
    /// (seconds since 1970). Returns the entries of an existing file, and the start of its clock.
    ///
    /// # Errors
    /// When the file cannot be opened, or belongs to another world.
    pub fn open(
        path: &Path,
        world: &World,
        now: i64,
    ) -> Result<(Self, Vec<Entry>, i64), StateError> {
        let failed = |source| StateError::Database { path: path.to_owned(), source };
        private(path)?;
        let connection = Connection::open(path).map_err(failed)?;
        // A second sandbox on the same file would write a diverging state.
        connection.pragma_update(None, "locking_mode", "exclusive").map_err(failed)?;
        connection.pragma_update(None, "journal_mode", "wal").map_err(failed)?;
        connection.pragma_update(None, "synchronous", "normal").map_err(failed)?;
        connection.execute_batch(CREATE).map_err(failed)?;
        let text = serde_json::to_string(world.options()).unwrap_or_default();
        let owner = connection
            .query_row("select format, world, clock from state", [], |row| {
                Ok((row.get::<_, u32>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?))
            })
            .optional()
            .map_err(failed)?;
        let start = match owner {
            Some((found, _, _)) if found != FORMAT => {
                return Err(StateError::Format { path: path.to_owned(), found });
            }
            Some((_, owner, _)) if owner != text => {
                return Err(StateError::OtherWorld { path: path.to_owned() });
            }
            Some((_, _, start)) => start,
            None => {
                let insert = "insert into state (format, world, clock) values (?1, ?2, ?3)";
                connection.execute(insert, (FORMAT, &text, now)).map_err(failed)?;
                now
            }
        };
        let entries = entries(&connection, path)?;
        let connection = Mutex::new(connection);
        Ok((Self { connection, path: path.to_owned(), is_behind: false }, entries, start))
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// When it cannot be written, or an earlier entry could not.
    pub fn append(
        &mut self,
        command: Option<&Command>,
        answered: Option<(&str, &Answered)>,
    ) -> Result<(), StateError> {
        if self.is_behind {
            return Err(StateError::Behind { path: self.path.clone() });
        }
        let command = command.map(|command| serde_json::to_string(command).unwrap_or_default());
        let answer = answered.map(|(_, answered)| answered);
        let connection = self.connection.get_mut().unwrap_or_else(PoisonError::into_inner);
        let added = connection.execute(
            APPEND,
            named_params! {
                ":command": command,
                ":idempotency_key": answered.map(|(key, _)| key),
                ":request": answer.map(|answer| &answer.request),
                ":status": answer.map(|answer| answer.status),
                ":location": answer.and_then(|answer| answer.location.as_ref()),
                ":body": answer.map(|answer| &answer.body),
            },
        );
        added.map(|_| ()).map_err(|source| {
            self.is_behind = true;
            StateError::Database { path: self.path.clone(), source }
        })
    }

    /// The error for a command that is refused when executed again.
    pub fn refused(&self, entry: &Entry, refusal: &Refusal) -> StateError {
        let path = self.path.clone();
        StateError::Refused { path, sequence: entry.sequence, source: refusal.clone() }
    }
}

/// Creates the file for its owner only, if it does not exist: it contains names from requests.
fn private(path: &Path) -> Result<(), StateError> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let made = options.open(path);
    made.map(|_| ()).map_err(|source| StateError::Create { path: path.to_owned(), source })
}

fn entries(connection: &Connection, path: &Path) -> Result<Vec<Entry>, StateError> {
    let failed = |source| StateError::Database { path: path.to_owned(), source };
    let mut statement = connection.prepare(ENTRIES).map_err(failed)?;
    let rows = statement
        .query_map([], |row| {
            let key: Option<String> = row.get("idempotency_key")?;
            let answered = match key {
                Some(key) => Some((
                    key,
                    Answered {
                        request: row.get("request")?,
                        status: row.get("status")?,
                        location: row.get("location")?,
                        body: row.get("body")?,
                    },
                )),
                None => None,
            };
            let command: Option<String> = row.get("command")?;
            Ok((row.get::<_, i64>("sequence")?, command, answered))
        })
        .map_err(failed)?;
    let mut entries = Vec::new();
    for row in rows {
        let (sequence, command, answered) = row.map_err(failed)?;
        let command = command.map(|text| serde_json::from_str(&text)).transpose();
        let command = command.map_err(|_| StateError::Entry { path: path.to_owned(), sequence })?;
        entries.push(Entry { sequence, command, answered });
    }
    Ok(entries)
}
