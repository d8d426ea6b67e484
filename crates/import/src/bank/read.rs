//! Reads one statement file: recognises its format, and keeps the lines that the processor caused,
//! without their text.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use chrono_tz::Tz;
use encoding_rs::Encoding;

use super::format::{NoStatement, format_of};
use super::information::unmarked;
use super::originator::{is_from, named, number_digests, squeezed};
use super::statement::{Broken, Entry, Statement};
use super::{BankError, bai2, camt, markup, mt940, ofx, table};
use crate::files::{Probe, as_din_66003, contents, decodings, probe};
use crate::table::{Source, TableError, is_workbook};
use tieout_config::{BankFormat, BankSettings};
use tieout_model::digest::sha256_hex;
use tieout_model::money::{Currency, Minor};
use tieout_model::{BankFile, BankLine, LeftOut, MerchantId, Span};

/// A statement is read whole, into memory; one with more text does not cover a day or a month.
const MAX_TEXT_BYTES: usize = 256 * 1024 * 1024;

/// Bytes of the hash that distinguishes lines.
const KEY_BYTES: usize = 8;

/// Further faults are counted but not kept.
const MAX_FAULTS_KEPT: usize = 1_000;

/// Information that a statement does not contain.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings<'a> {
    /// For the lines of a table that names no currency.
    pub currency: Option<Currency>,
    /// The zone whose day a timestamp with an offset belongs to, unless the bank has its own.
    pub time_zone: Option<Tz>,
    /// Merchants whose ids may be in a line.
    pub merchant_ids: &'a [&'a MerchantId],
}

/// A statement as `tieout bank check` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedStatement {
    pub format: BankFormat,
    /// The last four characters of each account, its currency, and the days covered.
    pub accounts: Vec<CheckedAccount>,
    pub lines: Vec<CheckedLine>,
    pub skipped: Vec<LeftOut>,
    pub faults: Vec<LeftOut>,
    /// Words in unmapped columns of a table that change nothing.
    pub notes: Vec<String>,
    file: BankFile,
}

impl CheckedStatement {
    /// What the store keeps of it.
    pub fn into_file(self) -> BankFile {
        self.file
    }
}

/// An account of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedAccount {
    pub account_last4: String,
    pub currency: Option<&'static str>,
    pub covers: Vec<Span>,
}

/// A line of a statement, caused by the processor or by others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedLine {
    pub line: BankLine,
    pub is_of_processor: bool,
    /// The text of a line of others, which is never stored; empty for one of the processor.
    pub text: String,
}

/// SHA-256 of the bytes of `path`, which shows whether the file must be read again.
///
/// # Errors
/// When the file cannot be read.
pub fn digest_of(path: &Path) -> Result<String, BankError> {
    Ok(probe(path)?.sha256)
}

/// Reads the statement at `path` and keeps the lines that the processor caused.
///
/// # Errors
/// When the file as a whole is not valid: see [`BankError`].
pub fn read_file(
    path: &Path,
    bank: &BankSettings,
    surroundings: Surroundings<'_>,
) -> Result<BankFile, BankError> {
    Ok(check_file(path, bank, surroundings)?.into_file())
}

/// Reads the statement at `path` and returns all its details.
///
/// # Errors
/// When the file as a whole is not valid: see [`BankError`].
pub fn check_file(
    path: &Path,
    bank: &BankSettings,
    surroundings: Surroundings<'_>,
) -> Result<CheckedStatement, BankError> {
    let probed = probe(path)?;
    let zone = bank.table.time_zone.or(surroundings.time_zone);
    let parser = Parser { path, bank, currency: surroundings.currency, zone };
    let (format, statement) = parser.parse(&probed)?;
    Ok(keep(statement, (format, probed.sha256), bank, surroundings.merchant_ids))
}

struct Parser<'a> {
    path: &'a Path,
    bank: &'a BankSettings,
    currency: Option<Currency>,
    zone: Option<Tz>,
}

impl Parser<'_> {
    fn parse(&self, probed: &Probe) -> Result<(BankFormat, Statement), BankError> {
        if probed.is_zip {
            return self.workbook();
        }
        if let Some(foreign) = probed.foreign {
            return Err(self.refused(foreign.into()));
        }
        if probed.is_blank {
            let (found, remedy) = ("an empty file", "an export that failed leaves an empty file");
            let (found, remedy) = (found.to_owned(), remedy.to_owned());
            return Err(self.refused(NoStatement { found, remedy }));
        }
        let bytes = contents(self.path, MAX_TEXT_BYTES)?;
        let stated = self.bank.table.encoding;
        let readings = decodings(&bytes, stated.or_else(|| declared_encoding(&bytes)));
        drop(bytes);
        let mut readings = readings.into_iter().map(with_line_feeds);
        let text = readings.next().unwrap_or_default();
        let format = format_of(&text, self.bank).map_err(|found| self.refused(found))?;
        if format == BankFormat::Csv && probed.encoding.or(stated).is_none() {
            return Err(self.of_table(TableError::NotText));
        }
        let more: Vec<String> = match format {
            BankFormat::Mt940 => as_din_66003(&text).into_iter().chain(readings).collect(),
            _ => readings.collect(),
        };
        let mut statement = self.by_format(text, format)?;
        for text in more {
            if let Ok(other) = self.by_format(text, format) {
                add_reading(&mut statement, other);
            }
        }
        Ok((format, statement))
    }

    fn workbook(&self) -> Result<(BankFormat, Statement), BankError> {
        if !is_workbook(self.path) {
            return Err(self.refused(NoStatement {
                found: "a zip archive, and no workbook (XLSX)".to_owned(),
                remedy: "unpack the archive".to_owned(),
            }));
        }
        if self.bank.table.columns.is_empty() && self.bank.format != Some(BankFormat::Xlsx) {
            return Err(self.refused(NoStatement {
                found: "a workbook (XLSX), and no columns are configured".to_owned(),
                remedy: "name its columns under columns of this bank".to_owned(),
            }));
        }
        let source = Source::Workbook(self.path.to_path_buf());
        let statement = table::read(source, self.bank, self.currency, self.zone)
            .map_err(|error| self.of_table(error))?;
        Ok((BankFormat::Xlsx, statement))
    }

    fn by_format(&self, text: String, format: BankFormat) -> Result<Statement, BankError> {
        let broken = |broken: Broken| match broken.remedy {
            Some(remedy) => {
                self.refused(NoStatement { found: broken.reason, remedy: remedy.to_owned() })
            }
            None => BankError::Broken {
                path: self.path.to_path_buf(),
                line: broken.line,
                reason: broken.reason,
            },
        };
        match format {
            BankFormat::Bai2 => bai2::read(&text).map_err(broken),
            BankFormat::Camt053 => camt::read(&text, self.zone).map_err(broken),
            BankFormat::Mt940 => mt940::read(&text).map_err(broken),
            BankFormat::Ofx => ofx::read(&text, self.zone).map_err(broken),
            BankFormat::Csv | BankFormat::Xlsx => {
                table::read(Source::Text(text), self.bank, self.currency, self.zone)
                    .map_err(|error| self.of_table(error))
            }
        }
    }

    fn refused(&self, found: NoStatement) -> BankError {
        let path: PathBuf = self.path.to_path_buf();
        BankError::Foreign { path, found: found.found, remedy: found.remedy }
    }

    fn of_table(&self, error: TableError) -> BankError {
        BankError::Table { path: self.path.to_path_buf(), error }
    }
}

/// The text with line feeds, when its lines end only in carriage returns.
fn with_line_feeds(text: String) -> String {
    if text.contains('\n') || !text.contains('\r') { text } else { text.replace('\r', "\n") }
}

/// The encoding named by an XML declaration or the header of OFX.
fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head: String = bytes.iter().take(1_024).map(|byte| char::from(*byte)).collect();
    if let Some((_, rest)) = head.trim_start().strip_prefix("<?xml")?.split_once("encoding") {
        let rest = rest.trim_start().strip_prefix('=')?.trim_start();
        let quote = rest.chars().next().filter(|one| matches!(one, '"' | '\''))?;
        let label = rest[1..].split(quote).next()?;
        return Encoding::for_label(label.trim().as_bytes());
    }
    None
}

/// Adds the texts of another decoding of the same bytes.
fn add_reading(statement: &mut Statement, other: Statement) {
    if other.entries.len() != statement.entries.len() {
        return;
    }
    for (entry, other) in statement.entries.iter_mut().zip(other.entries) {
        if other.text != entry.text {
            entry.readings.push(other.text);
        }
    }
}

/// Collects and counts the lines.
struct Keeper<'a> {
    names: Vec<String>,
    merchant_ids: &'a [&'a MerchantId],
    /// The result of [`own_ids`].
    ids: HashSet<String>,
    equals: BTreeMap<String, u32>,
    lines: Vec<CheckedLine>,
}

/// Keeps the lines of the accounts that the bank section names.
fn keep(
    mut statement: Statement,
    (format, sha256): (BankFormat, String),
    bank: &BankSettings,
    merchant_ids: &[&MerchantId],
) -> CheckedStatement {
    let is_ours = |account: &str| bank.account.as_deref().is_none_or(|ours| ours == account);
    let names = bank.originators.iter().map(|name| squeezed(name)).collect();
    let (ids, equals) = (own_ids(&statement.entries), BTreeMap::new());
    let mut keeper = Keeper { names, merchant_ids, ids, equals, lines: Vec::new() };
    for entry in std::mem::take(&mut statement.entries) {
        if !is_ours(&entry.account_last4) {
            let account = &entry.account_last4;
            statement.skip(entry.line, format!("of account {account}, which is not configured"));
        } else if let Err(reason) = keeper.take(&entry) {
            statement.fault(entry.line, reason);
        }
    }
    let lines = keeper.lines;
    for (account, fault) in std::mem::take(&mut statement.account_faults) {
        let list = if is_ours(&account) { &mut statement.faults } else { &mut statement.skipped };
        list.push(fault);
    }
    statement.faults.sort_by_key(|fault| fault.line);
    statement.skipped.sort_by_key(|row| row.line);
    let has_faults = !statement.faults.is_empty();
    statement.spans.retain(|span| is_ours(&span.account_last4) && !has_faults);
    statement.spans.sort();
    statement.spans.dedup();
    let accounts = accounts(&statement, &lines, is_ours);
    let of_processor = lines.iter().filter(|one| one.is_of_processor);
    let file = BankFile {
        sha256,
        lines: of_processor.clone().map(|one| one.line.clone()).collect(),
        other_lines: (lines.len() - of_processor.count()) as u64,
        quarantined_lines: statement.faults.len() as u64,
        quarantined: statement.faults.iter().take(MAX_FAULTS_KEPT).cloned().collect(),
        spans: statement.spans,
        recalls: statement.recalls,
        corrections: statement
            .corrections
            .iter()
            .filter(|(account, _)| is_ours(account))
            .map(|(account, id)| (account.clone(), hash_of_id(account, id)))
            .collect(),
    };
    let Statement { skipped, faults, notes, .. } = statement;
    CheckedStatement { format, accounts, lines, skipped, faults, notes, file }
}

/// The ids that distinguish one line of the file from every other. A later download may complete
/// the text of such a line, and it is still the same line.
fn own_ids(entries: &[Entry]) -> HashSet<String> {
    let (mut once, mut often) = (HashSet::new(), HashSet::new());
    for entry in entries {
        let Some(id) = entry.id.as_deref().filter(|id| is_id(id)) else { continue };
        let content = content(entry, entry.amount, id);
        if !once.insert(content.clone()) {
            often.insert(content);
        }
    }
    once.retain(|content| !often.contains(content));
    once
}

/// Checks that the text is an id, and not a placeholder for a missing one.
fn is_id(id: &str) -> bool {
    let id = squeezed(id);
    id.len() > 1
        && id.bytes().any(|byte| byte != b'0')
        && !matches!(id.as_str(), "NONREF" | "NOTPROVIDED" | "NONE" | "NOREF" | "UNKNOWN" | "NULL")
}

fn accounts(
    statement: &Statement,
    lines: &[CheckedLine],
    is_ours: impl Fn(&str) -> bool,
) -> Vec<CheckedAccount> {
    // Where the format states no currency, it is taken from the lines.
    let of_lines = |last4: &str| {
        let line = lines.iter().find(|one| one.line.account_last4 == last4)?;
        Some(line.line.currency.code())
    };
    let ours = statement.accounts.iter().filter(|account| is_ours(&account.last4));
    let covers =
        |last4: &str| joined(statement.spans.iter().filter(|span| span.account_last4 == last4));
    ours.map(|account| CheckedAccount {
        account_last4: account.last4.clone(),
        currency: account.currency.or_else(|| of_lines(&account.last4)),
        covers: covers(&account.last4),
    })
    .collect()
}

/// Merges spans that touch or overlap.
fn joined<'a>(spans: impl Iterator<Item = &'a Span>) -> Vec<Span> {
    let mut joined: Vec<Span> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if last.last.succ_opt().is_none_or(|next| span.first <= next) => {
                last.last = last.last.max(span.last);
            }
            _ => joined.push(span.clone()),
        }
    }
    joined
}

impl Keeper<'_> {
    /// Keeps an entry as a line, or each of its parts as one.
    fn take(&mut self, entry: &Entry) -> Result<(), String> {
        let mut readings = std::iter::once(&entry.text).chain(&entry.readings);
        let is_whole = readings.any(|text| self.is_ours(text));
        if is_whole || entry.parts.is_empty() {
            let text = if is_whole { with_parts(entry) } else { entry.text.clone() };
            self.add(entry, (entry.line, entry.amount), &text, is_whole && entry.amount.0 != 0);
            return Ok(());
        }
        let ours: Vec<bool> = entry.parts.iter().map(|part| self.is_ours(&part.text)).collect();
        if !ours.contains(&true) || !ours.contains(&false) {
            let is_ours = ours.contains(&true);
            if !is_ours || entry.parts.iter().any(|part| part.amount.is_none()) {
                let line = (entry.line, entry.amount);
                self.add(entry, line, &with_parts(entry), is_ours);
                return Ok(());
            }
        }
        for (part, is_ours) in entry.parts.iter().zip(ours) {
            let Some(amount) = part.amount else {
                return Err("a collective entry of the processor and of others, whose parts do \
                            not say how much is whose"
                    .to_owned());
            };
            self.add(entry, (part.line, amount), &part.text, is_ours && amount.0 != 0);
        }
        Ok(())
    }

    /// Checks whether a text names the processor: as it is, without the marks of sub-fields, or
    /// with entities that a bank has escaped once too often.
    fn is_ours(&self, text: &str) -> bool {
        let is_ours = |text: &str| is_from(&squeezed(text), &self.names);
        is_ours(text)
            || unmarked(text).is_some_and(|text| is_ours(&text))
            || (text.contains('&') && is_ours(&markup::decoded(text)))
    }

    fn add(&mut self, entry: &Entry, (line, amount): (u64, Minor), text: &str, is_ours: bool) {
        // Lines of others are counted and not kept.
        let key = if is_ours { self.key(entry, amount, text) } else { String::new() };
        let merchant_id = if is_ours { named(text, self.merchant_ids).cloned() } else { None };
        self.lines.push(CheckedLine {
            is_of_processor: is_ours,
            text: if is_ours { String::new() } else { text.to_owned() },
            line: BankLine {
                key,
                line,
                account_last4: entry.account_last4.clone(),
                date: entry.date,
                amount,
                currency: entry.currency,
                merchant_id,
                names: if is_ours { number_digests(text) } else { Vec::new() },
                is_interim: entry.is_interim,
                id_hash: entry
                    .id
                    .as_deref()
                    .filter(|_| is_ours)
                    .map(|id| hash_of_id(&entry.account_last4, id)),
            },
        });
    }

    fn key(&mut self, entry: &Entry, amount: Minor, text: &str) -> String {
        let by_id = entry.id.as_deref().map(|id| content(entry, amount, id));
        let by_id = by_id.filter(|content| self.ids.contains(content));
        let content = by_id.unwrap_or_else(|| content(entry, amount, &squeezed(text)));
        let ordinal = self.equals.entry(content.clone()).or_default();
        *ordinal += 1;
        let mut key = sha256_hex(format!("{content}\n{ordinal}").as_bytes());
        key.truncate(2 * KEY_BYTES);
        key
    }
}

/// The hash of the bank's id of a line, which may contain numbers that must not be kept.
fn hash_of_id(account_last4: &str, id: &str) -> String {
    let mut hash = sha256_hex(format!("{account_last4}\n{id}").as_bytes());
    hash.truncate(2 * KEY_BYTES);
    hash
}

fn with_parts(entry: &Entry) -> String {
    let mut text = entry.text.clone();
    for part in &entry.parts {
        text.push(' ');
        text.push_str(&part.text);
    }
    text
}

/// The content by which a line is recognised in another file. Two lines with equal content are
/// distinguished by their number within their file.
fn content(entry: &Entry, amount: Minor, text: &str) -> String {
    format!("{}\n{}\n{}\n{}\n{text}", entry.account_last4, entry.date, amount.0, entry.currency)
}
