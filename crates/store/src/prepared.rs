//! Keeps the temporary tables that a date is judged by from one date of a connection to the next,
//! and the statements that fill them: making them takes longer than filling those of a quiet night.

use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;
use rusqlite::fallible_iterator::FallibleIterator as _;
use rusqlite::{Batch, Connection};

use crate::register_functions_with;
use crate::statement::rows;

/// The tables and statements that earlier dates of a connection have made.
#[derive(Default)]
pub(crate) struct Prepared {
    /// The holidays that the SQL functions use; `None` before they are registered.
    extra_holidays: Option<BTreeSet<NaiveDate>>,
    files: HashMap<String, Made>,
}

/// A file whose tables, indexes and views exist.
struct Made {
    /// The tables and views.
    names: BTreeSet<String>,
    /// The statements that are still to be run.
    fills: Vec<String>,
}

impl Made {
    /// What was made in a transaction that was rolled back is gone with it, all of a file at once.
    fn is_there(&self, connection: &Connection) -> rusqlite::Result<bool> {
        let sql = "select 1 from temp.sqlite_schema where name = ?1";
        let Some(name) = self.names.first() else { return Ok(true) };
        connection.prepare_cached(sql)?.exists([name])
    }
}

impl Prepared {
    /// Empties the kept tables, and drops every other temporary table and view.
    pub(super) fn begin(
        &mut self,
        connection: &Connection,
        extra_holidays: &BTreeSet<NaiveDate>,
    ) -> rusqlite::Result<()> {
        // A table made in a transaction that was rolled back is gone with it.
        let objects = objects(connection)?;
        let there: BTreeSet<&String> = objects.iter().map(|(_, name)| name).collect();
        self.files.retain(|_, made| made.names.iter().all(|name| there.contains(name)));
        for (kind, name) in &objects {
            if !self.files.values().any(|made| made.names.contains(name)) {
                connection.execute_batch(&format!("drop {kind} temp.\"{name}\""))?;
            } else if kind == "table" {
                connection.prepare_cached(&format!("delete from temp.\"{name}\""))?.execute([])?;
            }
        }
        // Registering the functions again makes `SQLite` parse every statement again.
        if self.extra_holidays.as_ref() != Some(extra_holidays) {
            register_functions_with(connection, extra_holidays)?;
            self.extra_holidays = Some(extra_holidays.clone());
        }
        Ok(())
    }

    /// Runs the statements of a file; tables that an earlier date has made are only filled.
    pub(super) fn run(&mut self, connection: &Connection, sql: &str) -> rusqlite::Result<()> {
        if let Some(made) = self.files.get(sql)
            && made.is_there(connection)?
        {
            for fill in &made.fills {
                connection.prepare_cached(fill)?.execute([])?;
            }
            return Ok(());
        }
        let before: BTreeSet<(String, String)> = objects(connection)?.into_iter().collect();
        let mut fills = Vec::new();
        let mut statements = Batch::new(connection, sql);
        while let Some(mut statement) = statements.next()? {
            let text = statement.expanded_sql().unwrap_or_default();
            statement.execute([])?;
            fills.extend(fill(&text));
        }
        let made = objects(connection)?.into_iter().filter(|object| !before.contains(object));
        let names = made.map(|(_, name)| name).collect();
        self.files.insert(sql.to_owned(), Made { names, fills });
        Ok(())
    }
}

/// The temporary tables and views, views first: they name tables.
fn objects(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    let sql = "select type, name from temp.sqlite_schema where type in ('table', 'view') \
               order by type desc, name";
    rows(connection, sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// The statement that is left to run where the table of `statement` exists and is empty.
fn fill(statement: &str) -> Option<String> {
    let is_comment = |line: &&str| line.trim().is_empty() || line.starts_with("--");
    let lines: Vec<&str> = statement.lines().skip_while(is_comment).collect();
    let bare = lines.join("\n");
    if let Some(table) = bare.strip_prefix("create temp table ") {
        let (name, query) = table.split_once(char::is_whitespace)?;
        let query = query.trim_start().strip_prefix("as")?.strip_prefix(char::is_whitespace)?;
        return Some(format!("insert into temp.{name}\n{query}"));
    }
    (!bare.starts_with("create ")).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ASOF_FILES, Store, judging};

    #[test]
    fn what_stays_is_what_would_be_made_anew() {
        let store = Store::in_memory().unwrap();
        let connection = store.connection();
        let nothing = BTreeSet::new();
        let asof = "insert into temp.asof values ('2026-06-14', null, '2026-06-14', '2026-06-13', \
                    '2026-06-01', '2026-06-01', '2026-06-01', 2, 4, 5, 9, 30, 7, '2026-05-01', 0, \
                    0, 0, 'UTC', 'us_fed', 1, 1, 1, 1, 1, 1, 1)";
        let mut schemas = Vec::new();
        for round in 0..4 {
            // A date that is rolled back leaves nothing.
            connection.execute_batch("begin").unwrap();
            judging::begin(&store, &nothing).unwrap();
            assert_eq!(
                objects(connection)
                    .unwrap()
                    .iter()
                    .filter(|(kind, name)| {
                        let sql = format!("select count(*) from temp.\"{name}\"");
                        let is_full = || connection.query_row(&sql, [], |row| row.get(0)).unwrap();
                        kind == "table" && is_full()
                    })
                    .count(),
                0
            );
            connection.execute(asof, []).unwrap();
            connection.execute("create temp table another (one)", []).unwrap();
            for (_, sql) in ASOF_FILES {
                judging::run(&store, sql).unwrap();
            }
            let sql = "select type, name from temp.sqlite_schema order by 1, 2";
            let all: Vec<(String, String)> =
                rows(connection, sql, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            schemas.push(all);
            connection.execute_batch(if round == 1 { "rollback" } else { "commit" }).unwrap();
        }
        assert_eq!(schemas.iter().collect::<BTreeSet<_>>().len(), 1);
    }

    #[test]
    fn a_view_that_was_rolled_back_is_made_again() {
        let store = Store::in_memory().unwrap();
        for _ in 0..3 {
            let _view = store.view().unwrap();
            let sql = store.query_of("create temp view one as select 1;\n\nselect * from temp.one");
            assert_eq!(store.connection.query_row(sql.unwrap(), [], |row| row.get(0)), Ok(1));
        }
    }

    #[test]
    fn a_statement_is_what_it_comes_to() {
        let made = "-- purpose: x\n\ncreate temp table one as\nselect 1 as a";
        assert_eq!(fill(made).as_deref(), Some("insert into temp.one\nselect 1 as a"));
        for nothing in [
            "create temp table one (\n a text,\n as text\n) strict",
            "create unique index temp.a",
            "-- x\ncreate temp view a as select 1",
        ] {
            assert_eq!(fill(nothing), None, "{nothing}");
        }
        assert_eq!(
            fill("\n-- x\nupdate temp.one set a = 2").as_deref(),
            Some("update temp.one set a = 2")
        );
    }
}
