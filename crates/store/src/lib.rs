//! The only user of `SQLite`: opening, migrating, ingesting and querying. Never talks HTTP and
//! holds no rule about money: those are in `sql/checks`.

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

mod at_hand;
pub mod backup;
pub mod bank_fees;
pub mod banks;
mod book_cards;
pub mod book_inputs;
mod book_records;
mod card_days;
mod columns;
mod copy;
pub mod dataset;
pub mod days;
pub mod decisions;
pub mod discrepancies;
mod error;
pub mod evidence;
mod file;
pub mod finality;
mod functions;
mod holders;
mod ingest;
mod json_page;
pub mod judging;
pub mod kept_books;
pub mod key_operations;
pub mod ledger_files;
pub mod ledger_import;
pub mod listings;
mod match_page;
mod merged;
mod migrate;
mod named_books;
pub mod newest;
mod page_number;
mod place;
pub mod plan;
mod prepared;
pub mod prior_findings;
mod reading;
pub mod reconciled;
mod record_page;
mod replay;
pub mod results;
pub mod retention;
pub mod returns;
pub mod schedule;
mod schema;
pub mod seal;
pub mod sessions;
pub mod share;
mod side_by_side;
pub mod sign_off;
pub mod soundness;
pub mod stamp;
mod statement;
mod sums;
mod tally;
pub mod touched;
pub mod trail;
pub mod watched;
pub mod withdrawn;
mod work;
mod writer;

use std::cell::RefCell;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use file::{BUSY, cannot_open, create_private, patiently};
use work::Work;

pub use banks::{BankFileState, BankedDeposit, BankedLine};
pub use book_inputs::{CardsAhead, OpenFinding, Since};
pub use dataset::StoredCell;
pub use days::DayState;
pub use error::While;
pub use error::{StatementError, StoreError, is_busy, is_of_sqlite, sqlite_remedy};
pub use evidence::{PartsOfGroup, RecordBehind, RecordName, RecordVersion, StoredPage};
pub use file::create_private_folder;
pub use finality::{DateFinality, WaitsFor};
pub(crate) use functions::register_with as register_functions_with;
pub use holders::{command_line, holders};
pub use ingest::{IngestError, PageContent, names_two_contents};
pub use judging::{FailedRead, NotAsked, SummaryFigures, Unjudged};
pub use kept_books::{ChangedTransfer, Changes, KeptBooks, KeptDate, NameOf, Seen};
pub use ledger_files::LedgerFileState;
pub use ledger_import::LedgerImport;
pub use listings::{IncompleteListing, ListingState};
pub use merged::{CompareMatches, each_match_of, merged_digest};
pub use migrate::SCHEMA_VERSION;
pub use named_books::{Ledgers, NamedBooks};
pub use newest::NewestDay;
pub use page_number::PageNumber;
pub use place::shared_file_system;
pub use plan::{PaidDeposit, ReturnDays, StretchState};
pub use reading::{Freshness, Reading};
pub use reconciled::RecentListing;
pub use replay::{Proof, Prover, ReadEvidence};
pub use results::DayOutcome;
pub use retention::Pruned;
pub use returns::{DebitDay, ReturnDay};
pub use sessions::FetchSession;
pub use share::{PartState, has_parts};
pub use side_by_side::side_by_side;
pub use sums::WORKING_NOTES;
pub use tally::{RecordSum, SessionRecord, Tally, hash, is_card};
pub use touched::Touched;
pub use trail::{Act, AuditRow, BrokenChain, NewAct};
pub use withdrawn::{Withdrawn, WithdrawnId};
pub use writer::{Writer, WriterThread};

/// Rows of pages that `SQLite` keeps in memory, in KiB, for each connection.
const CACHE_KIB: i64 = 12 * 1024;

/// Pages of the write-ahead log after which they are copied into the store itself, even if a caller
/// waits meanwhile: 256 MiB. A night writes most pages several times; a later copy writes fewer.
/// Most often the writer copies earlier, when it is idle.
const LOG_PAGES: i64 = 32 * 1024;

/// The log is truncated to this many pages once they are copied: 64 MiB. The next write waits for
/// the truncation, so the limit exceeds the log of an ordinary night; closing the store deletes the
/// log.
const KEPT_LOG_PAGES: i64 = 8 * 1024;

/// Page size of a new store. Twice the default of `SQLite`: rows come in dozens, and trees are
/// flatter.
const PAGE_BYTES: i64 = 8 * 1024;

/// Statements that stay prepared: more than preparing, checking and writing a date uses.
const STATEMENTS: usize = 1024;

/// Stored for a return that does not say whether it was presented again, beside 0 and 1 for those
/// that do.
const REPRESENTED_UNKNOWN: i64 = 2;

/// The path of a store that is in no file.
const IN_MEMORY: &str = ":memory:";

/// An open store.
pub struct Store {
    path: PathBuf,
    connection: Connection,
    gathered: sums::Gathered,
    work: Work,
    at_hand: RefCell<at_hand::AtHand>,
    prepared: RefCell<prepared::Prepared>,
    /// Keeps other processes out while this one reads a store on a shared file system.
    #[expect(dead_code, reason = "it keeps others out as long as it is there")]
    guard: Option<Connection>,
}

impl AsRef<Connection> for Store {
    fn as_ref(&self) -> &Connection {
        &self.connection
    }
}

impl Store {
    /// Opens the store at `path`, creating it (owner-only) when there is none and
    /// upgrading an older one after a backup copy.
    ///
    /// # Errors
    /// When it cannot be opened, was made by a newer program, or cannot be upgraded.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::write(path, shared_file_system(path).is_some())
    }

    fn write(path: &Path, is_shared: bool) -> Result<Self, StoreError> {
        create_private(path)?;
        let open = |source| StoreError::Open { path: path.to_owned(), source };
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = place::connect(path, flags, is_shared).map_err(open)?;
        migrate::refuse_others(&connection, path)?;
        configure(&mut connection).map_err(open)?;
        migrate::upgrade(&mut connection, path)?;
        functions::register(&connection).map_err(open)?;
        let gathered = sums::watch(&mut connection).map_err(open)?;
        let work = Work::default();
        work.count(&mut connection).map_err(open)?;
        Ok(Self::of(path, connection, gathered, work))
    }

    fn of(path: &Path, connection: Connection, gathered: sums::Gathered, work: Work) -> Self {
        let (at_hand, prepared) = (RefCell::default(), RefCell::default());
        Self { path: path.to_owned(), connection, gathered, work, at_hand, prepared, guard: None }
    }

    /// Refuses to create a new store where a date in `reports` has its `manifest`: the store at
    /// `path` is missing or empty, and with it everything that was known of these dates.
    ///
    /// # Errors
    /// When the store is missing or empty, and a date has been reported.
    pub fn refuse_to_begin_anew(
        path: &Path,
        reports: &Path,
        manifest: &str,
    ) -> Result<(), StoreError> {
        let found = match std::fs::metadata(path) {
            Ok(file) if file.len() > 0 => return Ok(()),
            Ok(_) => "empty",
            Err(_) => "missing",
        };
        let is_report = |entry: &std::fs::DirEntry| {
            let is_date = entry
                .file_name()
                .to_str()
                .is_some_and(|name| name.parse::<chrono::NaiveDate>().is_ok());
            is_date && entry.path().join(manifest).exists()
        };
        let mut entries = std::fs::read_dir(reports).into_iter().flatten().flatten();
        if entries.any(|entry| is_report(&entry)) {
            let (path, reports) = (path.to_owned(), reports.to_owned());
            return Err(StoreError::Lost { path, found, reports });
        }
        Ok(())
    }

    /// A store in memory, which is lost when it is dropped.
    ///
    /// # Errors
    /// When `SQLite` has no memory left.
    pub fn in_memory() -> Result<Self, StoreError> {
        let path = PathBuf::from(IN_MEMORY);
        let open = |source| StoreError::Open { path: PathBuf::from(IN_MEMORY), source };
        let mut connection = Connection::open_in_memory().map_err(open)?;
        connection.pragma_update(None, "temp_store", "memory").map_err(open)?;
        keep_plans(&connection).map_err(open)?;
        migrate::upgrade(&mut connection, &path)?;
        functions::register(&connection).map_err(open)?;
        let (gathered, work) = (sums::Gathered::default(), Work::default());
        Ok(Self::of(&path, connection, gathered, work))
    }

    /// Opens an existing store for reading only; a run may be going on beside it.
    ///
    /// # Errors
    /// When there is none, or it was made by another version.
    pub fn open_for_reading(path: &Path) -> Result<Self, StoreError> {
        let store = Self::open_to_prove(path)?;
        migrate::refuse_strange(store.connection(), path)?;
        Ok(store)
    }

    /// Opens an existing store of any schema for reading only; its content can be trusted only
    /// where [`soundness::strange_schema`] finds nothing.
    ///
    /// # Errors
    /// When there is none, or it was made by another version.
    pub fn open_to_prove(path: &Path) -> Result<Self, StoreError> {
        Self::read(path, shared_file_system(path).is_some(), Work::default())
    }

    /// Refuses to go on without a store.
    ///
    /// # Errors
    /// When there is none at `path`.
    pub fn refuse_without(path: &Path) -> Result<(), StoreError> {
        if std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        Ok(())
    }

    fn read(path: &Path, is_shared: bool, work: Work) -> Result<Self, StoreError> {
        Self::refuse_without(path)?;
        let guard = if is_shared {
            Some(place::keep_others_out(path).map_err(|source| cannot_open(source, path))?)
        } else {
            None
        };
        let open = |source| StoreError::Open { path: path.to_owned(), source };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = place::connect(path, flags, is_shared).map_err(open)?;
        connection.busy_timeout(BUSY).map_err(open)?;
        migrate::refuse_others(&connection, path)?;
        migrate::require_current(&connection, path)?;
        functions::register(&connection).map_err(open)?;
        keep_plans(&connection).map_err(open)?;
        work.count(&mut connection).map_err(open)?;
        let gathered = sums::Gathered::default();
        Ok(Self { guard, ..Self::of(path, connection, gathered, work) })
    }

    /// Another connection to the same store, for reading only. A store in memory cannot be opened
    /// twice: then it is another, empty one.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn beside(&self) -> Result<Self, StoreError> {
        if self.is_in_memory() {
            Self::in_memory()
        } else {
            Self::read(&self.path, shared_file_system(&self.path).is_some(), self.work.clone())
        }
    }

    /// The work of `SQLite` on this store and its side connections since it was opened, in
    /// thousands of virtual machine instructions: the cost of a night, independent of the machine.
    pub fn work_done(&self) -> u64 {
        self.work.done()
    }

    /// Whether it is in memory, so that no other connection can open it.
    pub fn is_in_memory(&self) -> bool {
        self.connection.path().is_none_or(str::is_empty)
    }

    /// The path of its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Shows the store as it is now until it is dropped, unaffected by later writes; temporary
    /// tables made meanwhile are dropped with it.
    ///
    /// # Errors
    /// When the store refuses.
    pub fn view(&self) -> Result<rusqlite::Transaction<'_>, StoreError> {
        self.connection.unchecked_transaction().during("reading a store")
    }

    /// The query at the end of a file, once the views before it are made.
    fn query_of<'sql>(&self, sql: &'sql str) -> rusqlite::Result<&'sql str> {
        match sql.rsplit_once(";\n\n").filter(|(_, query)| !query.trim().is_empty()) {
            Some((views, query)) => {
                self.prepared.borrow_mut().run(&self.connection, views)?;
                Ok(query)
            }
            None => Ok(sql),
        }
    }

    /// The connection, for tests and benches.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }
}

fn configure(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    // Two transactions that read first and write later would deadlock, so the second is refused at
    // once; and while one date is judged, the pages of another are written.
    connection.set_transaction_behavior(TransactionBehavior::Immediate);
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    keep_a_log(connection)?;
    // Commits survive a killed process; a power cut may lose the newest ones, never corrupt.
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)?;
    connection.pragma_update(None, "journal_size_limit", KEPT_LOG_PAGES * PAGE_BYTES)?;
    keep_plans(connection)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}

/// Makes plans independent of the bound values: else many statements would be prepared again each
/// time that they run.
fn keep_plans(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

/// Switches to a write-ahead log.
fn keep_a_log(connection: &Connection) -> rusqlite::Result<()> {
    patiently(|| connection.pragma_update(None, "journal_mode", "wal"))
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn a_store_is_a_file_whatever_it_is_called() {
        let folder = tempfile::tempdir().unwrap();
        for name in [":memory:", "file:tieout.db?mode=memory"] {
            let path = folder.path().join(name);
            drop(Store::open(&path).unwrap());
            let store = Store::open_for_reading(&path).unwrap();
            assert!(!store.is_in_memory());
            assert!(std::fs::metadata(&path).unwrap().len() > 0);
        }
        assert!(Store::in_memory().unwrap().is_in_memory());
        assert_eq!(place::as_file(Path::new(IN_MEMORY)), Path::new("./:memory:"));
    }

    #[test]
    fn threads_share_a_store_on_a_shared_file_system_without_shared_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tieout.db");
        let first = Store::write(&path, true).unwrap();
        let second = Store::write(&path, true).unwrap();
        let reader = Store::read(&path, true, Work::default()).unwrap();
        key_operations::save(&first, "transactions", false).unwrap();
        key_operations::save(&second, "disputes", false).unwrap();
        drop((first, second));
        for operation in ["transactions", "disputes"] {
            assert!(key_operations::lacks(&reader, operation).unwrap(), "{operation}");
        }
        assert!(!folder.path().join("tieout.db-shm").exists());
        drop(reader);
        assert!(
            key_operations::lacks(&Store::read(&path, true, Work::default()).unwrap(), "disputes")
                .unwrap()
        );
        assert!(!folder.path().join("tieout.db-shm").exists());
    }

    #[test]
    fn a_new_store_is_opened_by_many_at_once() {
        let folder = tempfile::tempdir().unwrap();
        for round in 0..40 {
            let path = folder.path().join(format!("{round}/tieout.db"));
            let all = Barrier::new(4);
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        all.wait();
                        let store = Store::open(&path).unwrap();
                        assert_eq!(migrate::version(&store.connection).unwrap(), SCHEMA_VERSION);
                    });
                }
            });
        }
    }
}
