//! A connection of its own for the checks that others wrote. The store is opened for reading
//! alone, the date's temporary tables are copies, and whatever is no query is refused before it
//! runs: nothing that such a check does reaches the run.

use std::collections::BTreeSet;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use chrono::NaiveDate;
use rusqlite::hooks::{AuthAction, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, ffi, params_from_iter};

use super::JudgeError;
use super::check::{Bounds, Check};
use super::rows::select_rows;
use crate::model::Finding;
use crate::store::{Store, StoreError, register_functions_with};

/// Rows that one check may find on one date: nobody reads more, and memory has an end.
const MAX_ROWS: usize = 100_000;

/// A text or a page of evidence may be long; what a check makes up from them has an end.
const MAX_VALUE_BYTES: i32 = 16 * 1024 * 1024;

/// `SQLite` looks for an interruption between two steps of its program. A single step that takes
/// longer than this is not waited for.
const GRACE: Duration = Duration::from_secs(2);

/// The connection, opened when the first check needs it.
pub(crate) struct Aside<'run> {
    store: &'run Store,
    extra_holidays: &'run BTreeSet<NaiveDate>,
    /// `None` before the first check, and after one that could not be stopped.
    connection: Option<Connection>,
}

impl<'run> Aside<'run> {
    /// Beside the connection of a run, whose temporary tables must be complete by the first check.
    pub(crate) fn new(store: &'run Store, extra_holidays: &'run BTreeSet<NaiveDate>) -> Self {
        Self { store, extra_holidays, connection: None }
    }

    /// The rows that a check selects, unless it takes longer than its bounds.
    ///
    /// # Errors
    /// When it fails, takes too long, or selects too much.
    pub(crate) fn select(
        &mut self,
        check: &Check,
        bounds: Bounds,
    ) -> Result<Vec<Finding>, JudgeError> {
        let connection = self.take(check)?;
        let handle = connection.get_interrupt_handle();
        let (done, is_done) = channel();
        let work = check.clone();
        std::thread::spawn(move || {
            let found = select_rows(&connection, &work, MAX_ROWS);
            // When it took too long, nobody waits for it any more.
            let _ = done.send((found, connection));
        });
        let mut answer = is_done.recv_timeout(bounds.timeout);
        if matches!(answer, Err(RecvTimeoutError::Timeout)) {
            handle.interrupt();
            answer = is_done.recv_timeout(GRACE);
        }
        match answer {
            Ok((found, connection)) => {
                self.connection = Some(connection);
                found
            }
            Err(_) => Err(query(check, interrupted())),
        }
    }

    /// Has the connection prepare the statement of a check, and nothing more.
    pub(crate) fn prepare<T>(
        &mut self,
        check: &Check,
        look: impl FnOnce(rusqlite::Result<rusqlite::Statement<'_>>) -> T,
    ) -> Result<T, JudgeError> {
        let connection = self.take(check)?;
        let seen = look(connection.prepare(&check.sql));
        self.connection = Some(connection);
        Ok(seen)
    }

    fn take(&mut self, check: &Check) -> Result<Connection, JudgeError> {
        match self.connection.take() {
            Some(connection) => Ok(connection),
            None => self.open().map_err(|source| query(check, source)),
        }
    }

    fn open(&self) -> rusqlite::Result<Connection> {
        let mut connection = self.store.beside().map_err(as_sqlite)?.into_connection();
        // A sort of too many rows goes to a file and not into the memory of the run.
        connection.pragma_update(None, "temp_store", "file")?;
        register_functions_with(&connection, self.extra_holidays)?;
        copy_temporary(self.store.connection(), &mut connection)?;
        connection.pragma_update(None, "query_only", true)?;
        connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)?;
        connection.authorizer(Some(|context: rusqlite::hooks::AuthContext<'_>| {
            if is_query(&context.action) { Authorization::Allow } else { Authorization::Deny }
        }))?;
        Ok(connection)
    }
}

/// Whether an action reads and does nothing else.
fn is_query(action: &AuthAction<'_>) -> bool {
    match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
        AuthAction::Function { function_name } => {
            !function_name.eq_ignore_ascii_case("load_extension")
        }
        _ => false,
    }
}

/// Copies the temporary tables and views of one connection to another.
fn copy_temporary(from: &Connection, to: &mut Connection) -> rusqlite::Result<()> {
    let transaction = to.transaction()?;
    let objects: Vec<(String, String, String)> = from
        .prepare("select type, name, sql from temp.sqlite_schema where sql is not null")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let of = |kind: &'static str| objects.iter().filter(move |(found, ..)| found == kind);
    for (_, name, sql) in of("table") {
        transaction.execute_batch(&as_temporary(sql, "CREATE TABLE ", "create temp table "))?;
        copy_rows(from, &transaction, name)?;
    }
    // After the rows, which then need not be sorted in one by one. An index belongs where its
    // table is; views may name whatever comes before them.
    for (_, _, sql) in of("index") {
        transaction.execute_batch(sql)?;
    }
    for (_, _, sql) in of("view") {
        transaction.execute_batch(&as_temporary(sql, "CREATE VIEW ", "create temp view "))?;
    }
    transaction.commit()
}

/// `SQLite` leaves out that a table is temporary when it notes how it was made.
fn as_temporary(sql: &str, noted: &str, wanted: &str) -> String {
    match sql.strip_prefix(noted) {
        Some(rest) => format!("{wanted}{rest}"),
        None => sql.to_owned(),
    }
}

fn copy_rows(from: &Connection, to: &Connection, table: &str) -> rusqlite::Result<()> {
    let mut read = from.prepare(&format!("select * from temp.\"{table}\""))?;
    let columns = read.column_count();
    let places = vec!["?"; columns].join(", ");
    let mut write = to.prepare(&format!("insert into temp.\"{table}\" values ({places})"))?;
    let mut rows = read.query([])?;
    while let Some(row) = rows.next()? {
        let values: Vec<Value> =
            (0..columns).map(|column| row.get(column)).collect::<rusqlite::Result<_>>()?;
        write.execute(params_from_iter(values))?;
    }
    Ok(())
}

fn query(check: &Check, source: rusqlite::Error) -> JudgeError {
    JudgeError::Query { check: check.code.clone(), source }
}

fn interrupted() -> rusqlite::Error {
    let code = ffi::Error { code: ErrorCode::OperationInterrupted, extended_code: 0 };
    rusqlite::Error::SqliteFailure(code, None)
}

fn as_sqlite(error: StoreError) -> rusqlite::Error {
    match error {
        StoreError::Open { source, .. } | StoreError::Query { source, .. } => source,
        other => rusqlite::Error::UserFunctionError(other.to_string().into()),
    }
}

/// Why a check of the user's own gave nothing.
pub(crate) fn reason(error: &JudgeError, check: &Check) -> String {
    let is_stopped = matches!(
        error,
        JudgeError::Query { source, .. }
            if source.sqlite_error_code() == Some(rusqlite::ErrorCode::OperationInterrupted)
    );
    let seconds = check.custom.map_or(0, |bounds| bounds.timeout.as_secs());
    match error {
        _ if is_stopped => format!("{}.sql took longer than {seconds} s", check.stem),
        JudgeError::Query { source, .. } => format!("{}.sql failed: {source}", check.stem),
        JudgeError::File { problem, .. } => format!("{}.sql: {problem}", check.stem),
        other => other.to_string(),
    }
}
