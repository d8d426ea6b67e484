//! Examines a file without configuration, and writes the configuration that reads it, with open
//! doubts as comments. Never guesses beyond the content of the file.

mod columns;
mod content;
mod head;
mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use crate::bank::{self, BankError};
use crate::files::{FileError, first_lines, probe};
use crate::ledger::{self, LedgerError};
use crate::table::{
    Book, TableError, first_lines_of_sheet, is_workbook, names_given_back, ours, sheets,
};
use columns::{Found, columns_of};
use head::Head;
use tieout_config::{BankSettings, LedgerSettings, Merchant, TableSettings};

/// Lines that are examined.
const LINES: usize = 2_000;

/// Readings of the file, each of which may identify another column.
const MAX_ROUNDS: usize = 6;

/// Words that a message lists.
const MAX_WORDS: usize = 20;

/// The configuration that reads a file, and whether it is free of doubts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    pub text: String,
    pub is_sure: bool,
}

/// Why nothing can be suggested.
#[derive(Debug, thiserror::Error)]
pub enum SuggestError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Bank(#[from] BankError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("{path}: expected a table, found no lines that a delimiter cuts into columns")]
    NoTable { path: String },
}

/// The draft of a table's configuration.
#[derive(Default)]
struct Draft {
    settings: TableSettings,
    doubts: Vec<String>,
    /// Formats that read every date, each as other days.
    formats: Vec<&'static str>,
}

/// The `[[ledgers]]` section that reads `path`, for the records of `merchants`.
///
/// # Errors
/// When the file is not a table.
pub fn ledger(path: &Path, name: &str, merchants: &[Merchant]) -> Result<Suggestion, SuggestError> {
    let head = head_of(path, Book::Ledger)?;
    if head.1.is_none() {
        let plain = LedgerSettings {
            name: name.to_owned(),
            path: path.to_path_buf(),
            table: TableSettings::default(),
        };
        let foreign = ledger::check_file(path, &plain, merchants).err();
        if let Some(error @ LedgerError::Table { error: TableError::Foreign(_), .. }) = foreign {
            return Err(error.into());
        }
    }
    let mut draft = draft(path, head.1.as_ref(), head.0, (Book::Ledger, &[]));
    let settle = |draft: &mut Draft, head: &Head| {
        let ledger = LedgerSettings {
            name: name.to_owned(),
            path: path.to_path_buf(),
            table: draft.settings.clone(),
        };
        match ledger::check_file(path, &ledger, merchants) {
            Ok(checked) => {
                let faults = &checked.file.quarantined;
                let first = faults.first().map(|fault| {
                    let column = fault.column.as_deref().unwrap_or("a row");
                    format!("line {}, {column}: {}", fault.line, fault.reason)
                });
                note_faults(draft, checked.file.quarantined_rows, first);
                Ok(false)
            }
            Err(LedgerError::Table { error, .. }) => Ok(learn(draft, head, &error, Book::Ledger)),
            Err(error) => Err(SuggestError::from(error)),
        }
    };
    rounds(&mut draft, head.1.as_ref(), path, settle)?;
    Ok(draft.written(
        "ledgers",
        &[("name", quoted(name)), ("path", quoted(&path.display().to_string()))],
    ))
}

/// The `[[banks]]` section that reads `path`; `known` is the bank's existing configuration, such as
/// its originators.
///
/// # Errors
/// When the file is not a statement.
pub fn bank(
    path: &Path,
    known: &BankSettings,
    surroundings: bank::Surroundings<'_>,
) -> Result<Suggestion, SuggestError> {
    let originators: Vec<String> = known.originators.iter().map(|name| quoted(name)).collect();
    let mut top = vec![
        ("name", quoted(&known.name)),
        ("path", quoted(&path.display().to_string())),
        ("originators", format!("[{}]", originators.join(", "))),
    ];
    let plain = BankSettings {
        table: TableSettings::default(),
        account: None,
        format: None,
        ..known.clone()
    };
    let mut whole = Draft::default();
    if known.originators.is_empty() {
        let doubt = "originators: the processor's name on the statement; the file does not show \
                     which it is";
        whole.doubts.push(doubt.to_owned());
    }
    let foreign = match bank::check_file(path, &plain, surroundings) {
        Ok(checked) => {
            note_faults(&mut whole, checked.faults.len() as u64, first_of(&checked.faults));
            if let [first, _, ..] = checked.accounts.as_slice() {
                top.push(("account", quoted(&first.account_last4)));
                let all = checked.accounts.iter().map(|one| one.account_last4.as_str());
                let all = all.collect::<Vec<_>>().join(", ");
                whole.doubts.push(format!("account: the file holds several ({all})"));
            }
            return Ok(whole.written("banks", &top));
        }
        Err(error @ BankError::Foreign { .. }) => error,
        Err(error) => return Err(error.into()),
    };
    let head = head_of(path, Book::Bank)?;
    if head.1.is_none() {
        return Err(foreign.into());
    }
    let mut draft = draft(path, head.1.as_ref(), head.0, (Book::Bank, &known.originators));
    draft.doubts.splice(0..0, whole.doubts);
    let settle = |draft: &mut Draft, head: &Head| {
        let bank = BankSettings { table: draft.settings.clone(), ..plain.clone() };
        match bank::check_file(path, &bank, surroundings) {
            Ok(checked) => {
                note_faults(draft, checked.faults.len() as u64, first_of(&checked.faults));
                Ok(false)
            }
            Err(BankError::Table { error, .. }) => Ok(learn(draft, head, &error, Book::Bank)),
            Err(error) => Err(SuggestError::from(error)),
        }
    };
    rounds(&mut draft, head.1.as_ref(), path, settle)?;
    Ok(draft.written("banks", &top))
}

fn first_of(faults: &[tieout_model::LeftOut]) -> Option<String> {
    faults.first().map(|fault| format!("line {}: {}", fault.line, fault.reason))
}

/// Reads the file with the draft until a reading adds nothing.
fn rounds(
    draft: &mut Draft,
    head: Option<&Head>,
    path: &Path,
    mut settle: impl FnMut(&mut Draft, &Head) -> Result<bool, SuggestError>,
) -> Result<(), SuggestError> {
    let no_table = || SuggestError::NoTable { path: path.display().to_string() };
    let head = head.ok_or_else(no_table)?;
    // Of several formats of the dates any will do, to learn what else the file says.
    let usual = draft.settings.date_format.clone();
    if let Some(first) = draft.formats.first() {
        (*first).clone_into(&mut draft.settings.date_format);
    }
    for _ in 0..MAX_ROUNDS {
        if !settle(draft, head)? {
            break;
        }
    }
    if !draft.formats.is_empty() {
        draft.settings.date_format = usual;
    }
    Ok(())
}

/// The sheet of the table, where there are several, and its head.
fn head_of(path: &Path, book: Book) -> Result<(Option<String>, Option<Head>), SuggestError> {
    let names = if book == Book::Bank { names::BANK } else { names::LEDGER };
    let probed = probe(path)?;
    if !(probed.is_zip && is_workbook(path)) {
        return Ok((None, Head::of(&first_lines(path, LINES), names, book)));
    }
    let sheets = sheets(path);
    let has_one = sheets.len() == 1;
    let heads = sheets.into_iter().filter_map(|sheet| {
        let head = Head::of(&first_lines_of_sheet(path, &sheet, LINES), names, book)?;
        Some((sheet, head))
    });
    let found = heads.max_by_key(|(_, head)| head.rows.len() * head.headers.len());
    Ok(match found {
        Some((sheet, head)) => (Some(sheet).filter(|_| !has_one), Some(head)),
        None => (None, None),
    })
}

/// A draft from the head of a table.
fn draft(
    path: &Path,
    head: Option<&Head>,
    sheet: Option<String>,
    (book, originators): (Book, &[String]),
) -> Draft {
    let Some(head) = head else { return Draft::default() };
    let Found { columns, decimal, thousands, date_format, formats, times_in, doubts } =
        columns_of(head, book, originators);
    let mut settings = TableSettings {
        delimiter: head.delimiter,
        skip_lines: head.skip_lines,
        has_header: head.has_header,
        decimal,
        thousands,
        times_in,
        columns: columns.iter().map(|(key, at)| ((*key).to_owned(), head.name(*at))).collect(),
        sheet,
        ..TableSettings::default()
    };
    if let Some(format) = date_format {
        format.clone_into(&mut settings.date_format);
    }
    let mut draft = Draft { settings, doubts, formats };
    if let Some(sheet) = &draft.settings.sheet {
        let sheet = format!("sheet: there are several; \"{sheet}\" has the largest table");
        draft.doubts.push(sheet);
    }
    for (key, at) in &columns {
        if matches!(*key, "kind" | "status" | "direction") {
            draft.translate(head, key, *at, book);
        }
    }
    let is_guessed = probe(path).is_ok_and(|probed| {
        probed.encoding.is_some_and(|encoding| encoding.name() == "windows-1252")
    });
    if is_guessed {
        let doubt = "encoding: the file is not UTF-8 and does not state its encoding; windows-1252 is \
             taken";
        draft.doubts.push(doubt.to_owned());
    }
    draft
}

/// Updates the draft from a refusal; returns whether the refusal gave a change.
fn learn(draft: &mut Draft, head: &Head, error: &TableError, book: Book) -> bool {
    let at = |header: &str| (0..head.headers.len()).find(|at| head.name(*at) == header.trim());
    match error {
        TableError::ColumnNotMapped { header, key, .. } => {
            let Some(at) = at(header) else { return false };
            draft.settings.columns.insert((*key).to_owned(), head.name(at));
            if *key != "refund" {
                draft.translate(head, key, at, book);
            }
            true
        }
        TableError::DefaultInDoubt { key, header, .. } => {
            draft.settings.unused.push(header.clone());
            draft.doubts.push(format!("columns.{key}: \"{header}\" may belong to another amount"));
            true
        }
        error => {
            draft.doubts.push(format!("it is not read: {}", error.with_hint().replace('\n', "; ")));
            false
        }
    }
}

fn note_faults(draft: &mut Draft, count: u64, first: Option<String>) {
    if let Some(first) = first {
        let rows = if count == 1 {
            "1 row has a fault".to_owned()
        } else {
            format!("{count} rows have faults")
        };
        draft.doubts.push(format!("{rows}, the first on {first}"));
    }
}

impl Draft {
    /// Adds translations for the words of a column.
    fn translate(&mut self, head: &Head, key: &str, at: usize, book: Book) {
        let header = head.headers.get(at).map_or("", String::as_str);
        let words: BTreeSet<&str> = head.column(at).into_iter().take(LINES).collect();
        let (mut known, mut unknown) = (BTreeMap::new(), Vec::new());
        let has_refunds = self.settings.columns.contains_key("refund");
        for word in words.into_iter().take(MAX_WORDS) {
            let lower = word.to_lowercase();
            let gives_back = has_refunds && key == "status" && names_given_back(word);
            match ours(book, key, header, word) {
                _ if gives_back => {
                    known.insert(word.to_owned(), "paid".to_owned());
                }
                Some(own) if own != lower => {
                    known.insert(word.to_owned(), own.to_owned());
                }
                Some(_) => {}
                None => unknown.push(quoted(word)),
            }
        }
        if !unknown.is_empty() {
            let words = unknown.join(", ");
            self.doubts.push(format!(
                "values.{key}: the meaning of {words} is not known; add them, or \
                               \"ignore\""
            ));
        }
        let left_out: Vec<String> = known
            .iter()
            .filter(|(_, own)| *own == "ignore")
            .map(|(word, _)| quoted(word))
            .collect();
        if !left_out.is_empty() {
            let words = left_out.join(", ");
            self.doubts.push(format!("values.{key}: rows that say {words} are left out"));
        }
        if !known.is_empty() {
            self.settings.values.insert(key.to_owned(), known);
        }
    }

    /// The section as TOML, with the doubts as comments.
    fn written(&self, section: &str, top: &[(&str, String)]) -> Suggestion {
        let (usual, own) = (TableSettings::default(), &self.settings);
        let mut text = format!("[[{section}]]\n");
        // Writing into a String cannot fail.
        let mut line = |key: &str, value: String| {
            let _ = writeln!(text, "{key} = {value}");
        };
        for (key, value) in top {
            line(key, value.clone());
        }
        for (key, own, usual) in [
            ("delimiter", own.delimiter, usual.delimiter),
            ("decimal", own.decimal, usual.decimal),
            ("thousands", own.thousands, if own.decimal == '.' { ',' } else { '.' }),
        ] {
            if own != usual {
                line(key, quoted(&own.to_string()));
            }
        }
        if own.date_format != usual.date_format {
            line("date_format", quoted(&own.date_format));
        }
        if let Some(zone) = own.times_in {
            line("times_in", quoted(zone.name()));
        }
        if own.skip_lines > 0 {
            line("skip_lines", own.skip_lines.to_string());
        }
        if let Some(sheet) = &own.sheet {
            line("sheet", quoted(sheet));
        }
        if !own.has_header {
            line("header", "false".to_owned());
        }
        if !own.columns.is_empty() {
            line("columns", table_of(&own.columns, !own.has_header));
        }
        if !own.values.is_empty() {
            let of = |(key, words): (&String, _)| format!("{key} = {}", table_of(words, false));
            let values: Vec<String> = own.values.iter().map(of).collect();
            line("values", format!("{{ {} }}", values.join(", ")));
        }
        if !own.unused.is_empty() {
            let unused: Vec<String> = own.unused.iter().map(|one| quoted(one)).collect();
            line("unused", format!("[{}]", unused.join(", ")));
        }
        for format in &self.formats {
            let _ = writeln!(text, "# date_format = {}", quoted(format));
        }
        for doubt in &self.doubts {
            let _ = writeln!(text, "# in doubt: {doubt}");
        }
        Suggestion { text, is_sure: self.doubts.is_empty() }
    }
}

fn table_of(words: &BTreeMap<String, String>, are_numbers: bool) -> String {
    let is_bare = |key: &str| {
        !key.is_empty()
            && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    let pair = |(key, value): (&String, &String)| {
        let key = if is_bare(key) { key.clone() } else { quoted(key) };
        let value = if are_numbers { value.clone() } else { quoted(value) };
        format!("{key} = {value}")
    };
    let pairs: Vec<String> = words.iter().map(pair).collect();
    format!("{{ {} }}", pairs.join(", "))
}

/// A text as a TOML string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for one in text.chars() {
        match one {
            '"' | '\\' => quoted.extend(['\\', one]),
            '\t' => quoted.push_str("\\t"),
            one if one.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(one));
            }
            one => quoted.push(one),
        }
    }
    quoted.push('"');
    quoted
}
