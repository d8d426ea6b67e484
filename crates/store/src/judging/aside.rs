//! A separate connection for the user's own checks. The store is opened for reading only, the
//! date's temporary tables are copies, and a statement that is not a query is refused before it
//! runs: no such check can affect the run.

use std::collections::BTreeSet;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use chrono::NaiveDate;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, ffi, params_from_iter};

use super::{Result, Statement, Store};
use crate::{StoreError, register_functions_with};

/// A text or a page of evidence may be long; this limits the values that a check builds from them.
const MAX_VALUE_BYTES: i32 = 16 * 1024 * 1024;

/// `SQLite` checks for an interruption between two steps of its program. A single step that takes
/// longer than this is abandoned.
const GRACE: Duration = Duration::from_secs(2);

/// The connection, opened when the first check needs it.
pub struct Aside<'run> {
    store: &'run Store,
    extra_holidays: &'run BTreeSet<NaiveDate>,
    /// `None` before the first check, and after one that could not be stopped.
    beside: Option<Store>,
}

impl<'run> Aside<'run> {
    /// Beside the connection of a run, whose temporary tables must be complete by the first check.
    pub fn new(store: &'run Store, extra_holidays: &'run BTreeSet<NaiveDate>) -> Self {
        Self { store, extra_holidays, beside: None }
    }

    /// Returns the result of `work`; its statements are interrupted when it takes longer than
    /// `timeout`.
    ///
    /// # Errors
    /// When the store cannot be opened once more, or a statement does not stop.
    pub fn run<T: Send + 'static>(
        &mut self,
        timeout: Duration,
        work: impl FnOnce(&Store) -> T + Send + 'static,
    ) -> Result<T> {
        let beside = self.take()?;
        let handle = beside.connection.get_interrupt_handle();
        let (done, is_done) = channel();
        std::thread::spawn(move || {
            let answer = work(&beside);
            // After a timeout there is no receiver any more.
            let _ = done.send((answer, beside));
        });
        let mut answer = is_done.recv_timeout(timeout);
        if matches!(answer, Err(RecvTimeoutError::Timeout)) {
            handle.interrupt();
            answer = is_done.recv_timeout(GRACE);
        }
        let (answer, beside) = answer.map_err(|_| interrupted())?;
        self.beside = Some(beside);
        Ok(answer)
    }

    /// Prepares a statement on the connection without running it.
    ///
    /// # Errors
    /// When the store cannot be opened once more, or the statement is refused.
    pub fn prepare(&mut self, sql: &str) -> Result<Statement> {
        let beside = self.take()?;
        let beside = self.beside.insert(beside);
        let statement = beside.connection.prepare(sql)?;
        let columns = statement.column_names().map(str::to_owned).collect();
        Ok(Statement { columns, is_query: statement.readonly() })
    }

    fn take(&mut self) -> Result<Store> {
        self.beside.take().map_or_else(|| self.open(), Ok)
    }

    fn open(&self) -> Result<Store> {
        let mut beside = self.store.beside().map_err(as_sqlite)?;
        let connection = &mut beside.connection;
        // A sort of too many rows goes to a file and not into the memory of the run.
        connection.pragma_update(None, "temp_store", "file")?;
        register_functions_with(connection, self.extra_holidays)?;
        copy_temporary(&self.store.connection, connection)?;
        connection.pragma_update(None, "query_only", true)?;
        connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)?;
        connection.authorizer(Some(|context: AuthContext<'_>| {
            if is_query(&context.action) { Authorization::Allow } else { Authorization::Deny }
        }))?;
        Ok(beside)
    }
}

/// Whether an action only reads.
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
    // Indexes come after the rows, which then need not be sorted in one by one. An index belongs to
    // the schema of its table; a view may name any table or view before it.
    for (_, _, sql) in of("index") {
        transaction.execute_batch(sql)?;
    }
    for (_, _, sql) in of("view") {
        transaction.execute_batch(&as_temporary(sql, "CREATE VIEW ", "create temp view "))?;
    }
    transaction.commit()
}

/// `SQLite` omits from its stored definition that a table is temporary.
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
