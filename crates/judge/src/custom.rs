//! The user's own checks: SQL files in a configured folder, with the header and the columns of the
//! built-in ones. They may only read, and only for a limited time.

use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::NaiveDate;

use super::check::{Bounds, Check, Finder, parse};
use super::registry::Registry;
use super::selected::select_rows;
use super::{AsOf, JudgeError, check_files, prepare};
use tieout_config::{CustomChecks, Settings};
use tieout_model::Finding;
use tieout_store::judging::{Aside, Statement};
use tieout_store::{StatementError, Store};

/// A check rarely exceeds a page; a larger file than this is not a check.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Maximum number of rows that one check may find on one date: more are of no use and fill memory.
const MAX_ROWS: usize = 100_000;

/// The built-in checks and the user's own.
///
/// # Errors
/// When one of the user's own cannot be used: the error names it, and none is run.
pub fn registry_for(settings: &Settings) -> Result<Registry, JudgeError> {
    let built_in = Registry::built_in()?;
    let own = load(&settings.custom_checks)?;
    try_out(settings, &built_in, &own)?;
    Ok(built_in.with(own))
}

/// Every code that a configuration may name.
///
/// # Errors
/// When the folder of the user's own checks cannot be read.
pub fn check_codes(own: &CustomChecks) -> Result<Vec<String>, JudgeError> {
    let mut codes: Vec<String> = check_files().iter().map(|file| file.1.to_uppercase()).collect();
    codes.extend(load(own)?.into_iter().map(|check| check.code));
    Ok(codes)
}

/// The checks of the configured folder, in order of name.
fn load(settings: &CustomChecks) -> Result<Vec<Check>, JudgeError> {
    let Some(dir) = &settings.dir else { return Ok(Vec::new()) };
    let timeout = Duration::from_secs(settings.timeout_seconds);
    let mut checks: Vec<Check> = Vec::new();
    for path in files(dir)? {
        let check = read(&path, Bounds { timeout })?;
        if let Some(other) = checks.iter().find(|other| other.code == check.code) {
            return Err(wrong(
                &path,
                format!("{}.sql has the code {} already", other.stem, check.code),
            ));
        }
        checks.push(check);
    }
    Ok(checks)
}

fn files(dir: &Path) -> Result<Vec<PathBuf>, JudgeError> {
    let unreadable = |error: std::io::Error| wrong(dir, format!("cannot be read: {error}"));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "sql") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn wrong(path: &Path, problem: String) -> JudgeError {
    JudgeError::Custom { path: path.to_owned(), problem }
}

fn read(path: &Path, bounds: Bounds) -> Result<Check, JudgeError> {
    let unreadable = |error: std::io::Error| wrong(path, format!("cannot be read: {error}"));
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let stem = stem.ok_or_else(|| wrong(path, "expected a name in UTF-8".to_owned()))?;
    if std::fs::metadata(path).map_err(unreadable)?.len() > MAX_FILE_BYTES {
        return Err(wrong(path, format!("is larger than {MAX_FILE_BYTES} bytes")));
    }
    let sql = std::fs::read_to_string(path).map_err(unreadable)?;
    let check = parse(Finder::Sql, stem, &sql).map_err(|error| named(path, error))?;
    if check_files().iter().any(|(_, known, _)| known.eq_ignore_ascii_case(&check.code)) {
        return Err(wrong(path, format!("{} is a check of the program", check.code)));
    }
    Ok(Check { custom: Some(bounds), ..check })
}

/// The same error with the path of the file.
fn named(path: &Path, error: JudgeError) -> JudgeError {
    let problem = match error {
        JudgeError::File { problem, .. } => problem,
        JudgeError::Query { source, .. } => source.to_string(),
        other => other.to_string(),
    };
    wrong(path, problem)
}

/// Runs each check over a store without records, so that a check that writes, never ends or lacks a
/// column is refused before the run begins.
fn try_out(settings: &Settings, registry: &Registry, checks: &[Check]) -> Result<(), JudgeError> {
    let Some(dir) = settings.custom_checks.dir.as_ref().filter(|_| !checks.is_empty()) else {
        return Ok(());
    };
    let path_of = |check: &Check| dir.join(format!("{}.sql", check.stem));
    let store = Store::in_memory().map_err(|error| wrong(dir, error.to_string()))?;
    let date = NaiveDate::from_ymd_opt(2000, 1, 3).unwrap_or_default();
    let asof = AsOf::first(date);
    prepare(&store, settings, registry, &asof, &[], &[])?;
    let mut aside = Aside::new(&store, &settings.settlement.extra_holidays);
    for check in checks {
        let path = path_of(check);
        check_statement(aside.prepare(&check.sql), check)
            .map_err(|problem| wrong(&path, problem))?;
        let Some(bounds) = check.custom else { continue };
        select_aside(&mut aside, check, bounds)
            .map_err(|error| wrong(&path, reason(&error, check)))?;
    }
    Ok(())
}

/// The rows that a check selects on a connection of its own, within its time limit.
///
/// # Errors
/// When it fails, takes too long, or selects too many rows.
pub(crate) fn select_aside(
    aside: &mut Aside<'_>,
    check: &Check,
    bounds: Bounds,
) -> Result<Vec<Finding>, JudgeError> {
    let work = check.clone();
    aside
        .run(bounds.timeout, move |beside| select_rows(beside, &work, MAX_ROWS))
        .map_err(|source| JudgeError::Query { check: check.code.clone(), source })?
}

/// Why a check of the user's own gave no result.
pub fn reason(error: &JudgeError, check: &Check) -> String {
    let seconds = check.custom.map_or(0, |bounds| bounds.timeout.as_secs());
    match error {
        JudgeError::Query { source, .. } if source.is_interrupted() => {
            format!("{}.sql took longer than {seconds} s", check.stem)
        }
        JudgeError::Query { source, .. } => format!("{}.sql failed: {source}", check.stem),
        JudgeError::File { problem, .. } => format!("{}.sql: {problem}", check.stem),
        other => other.to_string(),
    }
}

/// Checks the statement itself; the error text names the problem.
fn check_statement(
    statement: Result<Statement, StatementError>,
    check: &Check,
) -> Result<(), String> {
    const EXPECTED: &str =
        "expected one query that begins with select or with, and changes nothing";
    let first = check
        .sql
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with("--"))
        .unwrap_or_default()
        .to_ascii_lowercase();
    // `attach` and `pragma` change no table, but are not queries either.
    if !(first.starts_with("select") || first.starts_with("with")) {
        return Err(EXPECTED.to_owned());
    }
    let statement = match statement {
        Err(error) if error.is_refused() => return Err(EXPECTED.to_owned()),
        statement => statement.map_err(|error| error.brief())?,
    };
    if !statement.is_query {
        return Err(EXPECTED.to_owned());
    }
    let mut needed = vec!["merchant_id", "subject"];
    if check.figure.is_some() {
        needed.extend(["expected", "actual"]);
    }
    if check.figure == Some(tieout_model::Figure::Amount) {
        needed.push("currency");
    }
    let is_there = |name: &str| statement.columns.iter().any(|column| column == name);
    match needed.into_iter().find(|needed| !is_there(needed)) {
        Some(missing) => Err(format!("it selects no column {missing}")),
        None => match check.shown_columns().find(|name| !is_there(name)) {
            Some(name) => {
                Err(format!("its explanation names {{{name}}}, and it selects no such column"))
            }
            None => Ok(()),
        },
    }
}
