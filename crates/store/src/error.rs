//! Errors of the store.

use std::error::Error;
use std::num::TryFromIntError;
use std::path::PathBuf;

use chrono::NaiveDate;
use rusqlite::ErrorCode;

/// Errors of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("store {}: cannot open it", path.display())]
    Open {
        path: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
    #[error("store {}: it does not exist yet", path.display())]
    Missing { path: PathBuf },
    #[error(
        "store {} has schema version {found}, this program knows versions up to {known}", path.display()
    )]
    Newer { path: PathBuf, found: u32, known: u32 },
    #[error(
        "store {} has schema version {found}, this command reads version {known} only", path.display()
    )]
    Older { path: PathBuf, found: u32, known: u32 },
    #[error("store {}: expected a store of tieout, found {found}", path.display())]
    Foreign { path: PathBuf, found: &'static str },
    #[error("store {} was altered: {found}", path.display())]
    Strange { path: PathBuf, found: String },
    #[error(
        "{business_date}: the rows in the store are not those that it was reconciled to: they were \
         altered"
    )]
    Altered { business_date: NaiveDate },
    #[error("the store was altered: {found}")]
    AlteredRows { found: String },
    #[error("store {}: upgrade from schema version {from} failed, nothing was changed", path.display())]
    Migrate {
        path: PathBuf,
        from: u32,
        #[source]
        source: rusqlite::Error,
    },
    #[error("cannot copy the store to {}", file.display())]
    Copy {
        file: PathBuf,
        #[source]
        source: rusqlite::Error,
    },
    #[error("cannot give the copy of the store its name {}", file.display())]
    Rename {
        file: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error(
        "store {} is {found}, and {} holds reports of a store", path.display(), reports.display()
    )]
    Lost { path: PathBuf, found: &'static str, reports: PathBuf },
    #[error("store {}: cannot write its file or its folder", path.display())]
    Folder {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error(
        "store {}: the file system is read-only, and no index can be kept beside the store",
        path.display()
    )]
    ReadOnly { path: PathBuf },
    #[error("store {} holds {found}, this run is for {wanted}", path.display())]
    OtherShare { path: PathBuf, found: String, wanted: String },
    #[error("store: {what} failed")]
    Query {
        what: &'static str,
        #[source]
        source: rusqlite::Error,
    },
    #[error("store: {what} holds \"{found}\", expected {expected}")]
    Content { what: &'static str, found: String, expected: &'static str },
    #[error("store: the run record of {business_date} cannot be read")]
    RunRecord {
        business_date: NaiveDate,
        #[source]
        source: serde_json::Error,
    },
    #[error("store: a page cannot be compressed")]
    Compress(#[source] std::io::Error),
    #[error("store: the writer has stopped because of an earlier error")]
    WriterStopped,
}

impl StoreError {
    /// The remedy, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Missing { .. } => Some(
                "name the store with --db, or the configuration that names it with --config; tieout \
                 run makes a new one",
            ),
            Self::Newer { .. } => {
                Some("run the newer tieout that wrote it, or name another store with --db")
            }
            Self::Older { .. } => Some(
                "run a command that writes the store, such as tieout run: it upgrades the store \
                 after a backup copy",
            ),
            Self::Foreign { .. } => Some(
                "nothing was changed in this file: name the store with --db, or another file to \
                 run again into a new store",
            ),
            Self::Strange { .. } => Some(
                "only tieout verify runs on this store, and names further alterations: restore it \
                 from its backup, or name another with --db",
            ),
            Self::AlteredRows { .. } => Some(
                "nothing was written from it; tieout verify says what else was altered: restore the \
                 store from its backup",
            ),
            Self::Altered { .. } => Some(
                "nothing was written from them; tieout verify names the altered rows: restore the \
                 store from its backup, or judge an open date again with tieout reconcile --date",
            ),
            Self::Open { source, .. }
                if source.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) =>
            {
                Some(
                    "another process has it open: wait until it has ended; on a network file \
                     system one process at a time has the store",
                )
            }
            Self::Open { .. } | Self::Folder { .. } => Some(
                "check the path, its owner, the free space and the limit of open files (ulimit \
                 -n), or name another with --db",
            ),
            Self::ReadOnly { .. } => Some(
                "copy the store to a folder that can be written and name the copy with --db, or \
                 mount the file system for writing",
            ),
            Self::OtherShare { .. } => {
                Some("name the shard of this store with --shard, or another store with --db")
            }
            Self::Lost { .. } => Some(
                "restore the store from its backup, name it with --db, or start a new store with \
                 another report folder (--out)",
            ),
            Self::RunRecord { .. } => Some("reconcile the date again: tieout reconcile --date"),
            Self::Copy { .. } | Self::Rename { .. } => {
                Some("check the folder, its owner and the free space")
            }
            Self::Migrate { from: 0, .. } => Some("the file was empty before, and still is"),
            Self::Migrate { .. } => Some("the backup copy beside the store has the state before"),
            Self::Query { .. } | Self::Content { .. } | Self::Compress(_) | Self::WriterStopped => {
                None
            }
        }
    }
}

impl StoreError {
    /// Whether the store holds a value that this version does not write, or is a damaged database:
    /// it can be opened, but its content cannot be used.
    pub fn is_of_content(&self) -> bool {
        let source = match self {
            Self::Content { .. } | Self::RunRecord { .. } => return true,
            Self::Query { source, .. } => source,
            _ => return false,
        };
        is_of_content(source)
    }
}

fn is_of_content(source: &rusqlite::Error) -> bool {
    match source {
        rusqlite::Error::SqliteFailure(failure, _) => {
            matches!(failure.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        }
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::QueryReturnedNoRows
        | rusqlite::Error::Utf8Error(..) => true,
        _ => false,
    }
}

/// Names the attempted action when a statement fails.
pub trait While<T> {
    /// Wraps the error with `what`, the action that was being done.
    fn during(self, what: &'static str) -> Result<T, StoreError>;
}

impl<T> While<T> for rusqlite::Result<T> {
    fn during(self, what: &'static str) -> Result<T, StoreError> {
        self.map_err(|source| StoreError::Query { what, source })
    }
}

/// A failed statement that the caller names.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct StatementError(#[from] rusqlite::Error);

impl StatementError {
    /// Whether it was stopped because it took too long.
    pub fn is_interrupted(&self) -> bool {
        self.0.sqlite_error_code() == Some(ErrorCode::OperationInterrupted)
    }

    /// Whether the connection does not allow its action.
    pub fn is_refused(&self) -> bool {
        self.0.sqlite_error_code() == Some(ErrorCode::AuthorizationForStatementDenied)
    }

    /// The message without the whole statement, for places that show its file.
    pub fn brief(&self) -> String {
        match &self.0 {
            rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
            other => other.to_string(),
        }
    }
}

/// A sum that does not fit a column.
impl From<TryFromIntError> for StatementError {
    fn from(error: TryFromIntError) -> Self {
        Self(rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
    }
}

/// Whether `cause` comes from `SQLite`; such an error names no file.
pub fn is_of_sqlite(cause: &(dyn Error + 'static)) -> bool {
    of_sqlite(cause).is_some()
}

/// Whether `cause` is that another connection holds the store.
pub fn is_busy(cause: &(dyn Error + 'static)) -> bool {
    let code = of_sqlite(cause).and_then(rusqlite::Error::sqlite_error_code);
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn of_sqlite<'a>(cause: &'a (dyn Error + 'static)) -> Option<&'a rusqlite::Error> {
    let statement = cause.downcast_ref().map(|StatementError(source)| source);
    statement.or_else(|| cause.downcast_ref())
}

/// The remedy for a limit of the machine that `SQLite` has met, when `cause` is one.
pub fn sqlite_remedy(cause: &(dyn Error + 'static)) -> Option<&'static str> {
    let source = of_sqlite(cause)?;
    // Two rows that must differ are alike: the statement was made for the rows of a whole store.
    let code = source.sqlite_error_code();
    let is_broken = code == Some(ErrorCode::ConstraintViolation);
    // A file that is no database may be another file.
    let is_database = code != Some(ErrorCode::NotADatabase);
    if code == Some(ErrorCode::DatabaseCorrupt) {
        // `verify` itself may not get further.
        return Some(
            "the file of the store is damaged: restore the newest whole copy, which tieout backup \
             --to FOLDER --check names",
        );
    }
    if is_broken || (is_database && is_of_content(source)) {
        return Some(
            "the store may be damaged or altered: tieout verify names the rows; restore the store \
             from its backup then",
        );
    }
    match code? {
        ErrorCode::DiskFull => {
            Some("make room on the disk of the store, then run again; stored pages are kept")
        }
        ErrorCode::ReadOnly => Some(
            "the file system or the file of the store is read-only: make it writable, or name \
             another with --db",
        ),
        ErrorCode::SystemIoFailure => Some(
            "check the disk of the store, its free space and the limit of the size of files \
             (ulimit -f), then run again; stored pages are kept",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_recognized_in_what_the_store_was_refused() {
        let codes = [
            (13, "make room"),
            (8, "read-only"),
            (778, "ulimit -f"),
            (2067, "damaged or altered"),
            (11, "restore the newest whole copy"),
        ];
        for (code, expected) in codes {
            let source = || rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
            let query = StoreError::Query { what: "committing pages", source: source() };
            let statement = StatementError(source());
            for error in [&query as &(dyn Error + 'static), &statement] {
                let source = error.downcast_ref::<StoreError>().and_then(Error::source);
                let cause = source.unwrap_or(error);
                assert!(
                    sqlite_remedy(cause).is_some_and(|found| found.contains(expected)),
                    "{code}"
                );
                assert!(is_of_sqlite(cause));
            }
        }
    }
}
