//! Reads one statement file: finds out its format, and keeps of its lines those that the
//! processor caused, without their text.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use super::originator::{is_from, named, squeezed};
use super::statement::{Broken, Entry, Span, Statement};
use super::{BankError, bai2, camt, mt940, ofx, table};
use crate::config::{BankFormat, BankSettings};
use crate::digest::sha256_hex;
use crate::import::files::FileError;
use crate::import::files::Fingerprint;
use crate::import::files::TextReader;
use crate::import::files::probe;
use crate::model::BankLine;
use crate::money::Currency;

/// A statement with more text is not one of a day or a month: it is read whole, into memory.
const MAX_TEXT_BYTES: usize = 256 * 1024 * 1024;

/// Bytes of the hash that tells lines apart.
const KEY_BYTES: usize = 8;

/// Faults beyond these are counted and not kept.
const MAX_FAULTS_KEPT: usize = 1_000;

/// What reading a statement came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankFile {
    /// SHA-256 of the file's bytes, in hexadecimal.
    pub sha256: String,
    /// What the processor caused, in the order of the file.
    pub lines: Vec<BankLine>,
    /// Lines that others caused: counted and not kept.
    pub other_lines: u64,
    pub quarantined_lines: u64,
    /// The first thousand of them.
    pub quarantined: Vec<BankFault>,
    /// The days of which it holds everything; none when a line had to be left out.
    pub spans: Vec<Span>,
}

/// A line that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankFault {
    pub line: u64,
    pub reason: String,
}

/// SHA-256 of the bytes of `path`: whether it must be read again.
///
/// # Errors
/// When it cannot be read.
pub fn digest_of(path: &Path) -> Result<String, BankError> {
    Ok(probe(path)?.sha256)
}

/// Reads the statement at `path`. `currency` holds where a CSV names none; of `merchant_ids` the
/// one that stands in a line is noted.
///
/// # Errors
/// When the file as a whole is wrong: see [`BankError`].
pub fn read_file(
    path: &Path,
    bank: &BankSettings,
    currency: Option<Currency>,
    merchant_ids: &[&str],
) -> Result<BankFile, BankError> {
    let before = Fingerprint::of(path)?;
    let probed = probe(path)?;
    let text = whole_text(path, probed.encoding)?;
    if Fingerprint::of(path)? != before {
        return Err(FileError::Changed { path: path.to_path_buf() }.into());
    }
    let format =
        format_of(&text, bank).ok_or_else(|| BankError::Unknown { path: path.to_path_buf() })?;
    let statement = parse(&text, format, bank, currency).map_err(|broken| {
        let Broken { line, reason } = broken;
        BankError::Broken { path: path.to_path_buf(), line, reason }
    })?;
    Ok(keep(statement, probed.sha256, bank, merchant_ids))
}

fn whole_text(path: &Path, encoding: &'static encoding_rs::Encoding) -> Result<String, BankError> {
    let failed = |source| FileError::Io { path: path.to_path_buf(), source };
    let mut reader = TextReader::open(path, encoding).map_err(failed)?;
    let (mut bytes, mut piece) = (Vec::new(), vec![0; 64 * 1024]);
    loop {
        reader.begin_row();
        let count = reader.read(&mut piece).map_err(failed)?;
        if count == 0 {
            break;
        }
        bytes.extend_from_slice(&piece[..count]);
        if bytes.len() > MAX_TEXT_BYTES {
            return Err(BankError::TooLarge { path: path.to_path_buf(), limit: MAX_TEXT_BYTES });
        }
    }
    // The reader hands out UTF-8 alone, whole over all pieces.
    String::from_utf8(bytes)
        .map_err(|error| failed(std::io::Error::other(error.utf8_error())).into())
}

/// The configured format, else what the text looks like.
fn format_of(text: &str, bank: &BankSettings) -> Option<BankFormat> {
    if let Some(format) = bank.format {
        return Some(format);
    }
    let start = text.trim_start();
    let head: String = start.chars().take(4_096).collect();
    if start.starts_with("01,") {
        Some(BankFormat::Bai2)
    } else if head.contains("<OFX>") || head.contains("OFXHEADER") {
        Some(BankFormat::Ofx)
    } else if head.contains("BkToCstmrStmt") || head.contains("camt.053") {
        Some(BankFormat::Camt053)
    } else if head.contains(":20:") && text.contains(":60") {
        Some(BankFormat::Mt940)
    } else if bank.columns.is_empty() {
        None
    } else {
        Some(BankFormat::Csv)
    }
}

fn parse(
    text: &str,
    format: BankFormat,
    bank: &BankSettings,
    currency: Option<Currency>,
) -> Result<Statement, Broken> {
    match format {
        BankFormat::Bai2 => bai2::read(text),
        BankFormat::Camt053 => camt::read(text),
        BankFormat::Mt940 => mt940::read(text),
        BankFormat::Ofx => ofx::read(text),
        BankFormat::Csv => table::read(text, bank, currency),
    }
}

/// Keeps what the processor caused on the accounts that the bank section is about.
fn keep(
    statement: Statement,
    sha256: String,
    bank: &BankSettings,
    merchant_ids: &[&str],
) -> BankFile {
    let is_ours = |account: &str| bank.account.as_deref().is_none_or(|ours| ours == account);
    let names: Vec<String> = bank.originators.iter().map(|name| squeezed(name)).collect();
    let mut equals: BTreeMap<String, u32> = BTreeMap::new();
    let mut lines = Vec::new();
    let mut other_lines = 0;
    for entry in statement.entries.iter().filter(|entry| is_ours(&entry.account_last4)) {
        let text = squeezed(&entry.text);
        if entry.amount.0 == 0 || !is_from(&text, &names) {
            other_lines += 1;
            continue;
        }
        let ordinal = equals.entry(content(entry, &text)).or_default();
        *ordinal += 1;
        let mut key = sha256_hex(format!("{}\n{ordinal}", content(entry, &text)).as_bytes());
        key.truncate(2 * KEY_BYTES);
        lines.push(BankLine {
            key,
            line: entry.line,
            account_last4: entry.account_last4.clone(),
            date: entry.date,
            amount: entry.amount,
            currency: entry.currency,
            merchant_id: named(&entry.text, merchant_ids).map(str::to_owned),
        });
    }
    let quarantined_lines = statement.faults.len() as u64;
    let mut quarantined: Vec<BankFault> = statement
        .faults
        .into_iter()
        .map(|fault| BankFault { line: fault.line, reason: fault.reason })
        .collect();
    quarantined.truncate(MAX_FAULTS_KEPT);
    let mut spans = statement.spans;
    spans.retain(|span| is_ours(&span.account_last4) && quarantined_lines == 0);
    spans.sort();
    spans.dedup();
    BankFile { sha256, lines, other_lines, quarantined_lines, quarantined, spans }
}

/// What makes a line the same one in another file: two that are equal in it are told apart by
/// their number in their own file.
fn content(entry: &Entry, text: &str) -> String {
    format!(
        "{}\n{}\n{}\n{}\n{text}",
        entry.account_last4, entry.date, entry.amount.0, entry.currency
    )
}
