//! Reads the ledgers and the statements of the merchants, and reports which days they cover.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;

use super::probe::Probe;
use crate::exit::Exit;
use tieout_config::{BankSettings, LedgerSettings, Merchant, Settings};
use tieout_import::bank::{Surroundings, check_file};
use tieout_import::files::files_of;
use tieout_import::ledger::{LedgerError, read_file};
use tieout_model::BankLine;
use tieout_model::LedgerRecord;
use tieout_model::MerchantId;

/// One probe for each ledger and each bank that a merchant names.
pub(super) fn probes(settings: &Settings) -> Vec<Probe> {
    let merchants = &settings.merchants;
    let is_ledger = |ledger: &&LedgerSettings| {
        merchants.iter().any(|one| one.ledger.as_ref() == Some(&ledger.name))
    };
    let is_bank =
        |bank: &&BankSettings| merchants.iter().any(|one| one.bank.as_ref() == Some(&bank.name));
    let ledgers = settings.ledgers.iter().filter(is_ledger);
    let banks = settings.banks.iter().filter(is_bank);
    ledgers
        .map(|ledger| of_ledger(settings, ledger))
        .chain(banks.map(|bank| of_bank(settings, bank)))
        .collect()
}

/// The totals of the files of a ledger or a bank.
#[derive(Default)]
struct Sum {
    files: usize,
    rows: u64,
    left_out: u64,
    first: Option<NaiveDate>,
    last: Option<NaiveDate>,
    /// Why the first unreadable file was refused.
    refused: Option<String>,
    /// The refused file, else the last one read.
    file: Option<PathBuf>,
    /// Rows or lines of any kind.
    all: u64,
}

impl Sum {
    fn add_day(&mut self, day: NaiveDate) {
        self.first = Some(self.first.map_or(day, |first| first.min(day)));
        self.last = Some(self.last.map_or(day, |last| last.max(day)));
    }

    fn refuse(&mut self, error: &dyn std::error::Error) {
        if self.refused.is_some() {
            return;
        }
        let text = error.to_string();
        let mut reason = text.lines().next().unwrap_or_default().to_owned();
        let mut cause = error.source();
        while let Some(error) = cause {
            reason = format!("{reason}: {error}");
            cause = error.source();
        }
        self.refused = Some(reason);
    }

    /// Records the file that is read next, unless one was refused.
    fn read(&mut self, path: &Path) {
        if self.refused.is_none() {
            self.file = Some(path.to_owned());
        }
    }

    /// The commands that show the faulty rows of the file and a configuration that reads it.
    fn hint(&self, name: &str) -> String {
        let file = self.file.as_deref().map_or("FILE".into(), Path::to_string_lossy);
        format!(
            "tieout {name} check {file} names the faults; tieout {name} suggest {file} prints the \
             configuration that reads it"
        )
    }

    fn probe(self, name: &'static str, called: &str, rows: &str) -> Probe {
        let hint = self.hint(name);
        if let Some(reason) = self.refused {
            return Probe::failed(name, format!("{called}: {reason}"), Some(hint))
                .with_exit(Exit::Partial);
        }
        let days = match (self.first, self.last) {
            (Some(first), Some(last)) => format!("{first}..{last}"),
            _ => "no whole day".to_owned(),
        };
        let (files, count) = (self.files, self.rows);
        let found = format!("{called}: files {files}, {rows} {count}, {days}");
        match (files, self.left_out) {
            (0, _) => Probe::failed(name, format!("{called}: no file matches its path"), None)
                .with_exit(Exit::Partial),
            (_, 0) => Probe::ok(name, found),
            // The content of rows that were left out is unknown.
            (_, left_out) => {
                Probe::failed(name, format!("{found}, left out {left_out}"), Some(hint))
                    .with_exit(Exit::Partial)
            }
        }
    }
}

fn of_ledger(settings: &Settings, ledger: &LedgerSettings) -> Probe {
    let mut sum = Sum::default();
    let merchants: Vec<Merchant> = settings.all_merchants().cloned().collect();
    let mut with_records = BTreeSet::new();
    match files_of(&ledger.path) {
        Err(error) => sum.refuse(&error),
        Ok(files) => {
            sum.files = files.len();
            for path in files {
                sum.read(&path);
                let read = read_file(&path, ledger, &merchants, |record: LedgerRecord| {
                    sum.add_day(record.date);
                    with_records.insert(record.merchant_id);
                    Ok::<(), LedgerError>(())
                });
                match read {
                    Ok(file) => {
                        sum.rows += file.record_rows;
                        sum.left_out += file.quarantined_rows;
                    }
                    Err(error) => sum.refuse(&error),
                }
            }
        }
    }
    let (called, left_out) = (&ledger.name, sum.left_out);
    let is_read = sum.files > 0 && sum.refused.is_none();
    if is_read && sum.rows == 0 && left_out > 0 {
        let found = format!("{called}: none of its {left_out} rows can be read");
        return Probe::failed("ledger", found, Some(sum.hint("ledger"))).with_exit(Exit::Partial);
    }
    let own = settings.merchants.iter().filter(|one| one.ledger.as_ref() == Some(called));
    let without: Vec<&str> = own
        .map(|one| &one.id)
        .filter(|id| !with_records.contains(*id))
        .map(MerchantId::as_str)
        .collect();
    if is_read && sum.rows > 0 && !without.is_empty() {
        let found = format!("{called}: no record is of merchant {}", without.join(", "));
        let hint = "check columns.merchant and values.merchant, or take ledger off that merchant";
        return Probe::warning("ledger", found, hint);
    }
    sum.probe("ledger", called, "records")
}

/// The lines of the processor in the files of a bank that can be read.
pub(super) fn lines_of(settings: &Settings, bank: &BankSettings) -> Vec<BankLine> {
    let surroundings = surroundings(settings, bank);
    let files = files_of(&bank.path).unwrap_or_default();
    let read = files.iter().filter_map(|path| check_file(path, bank, surroundings).ok());
    let ours = read.flat_map(|file| file.lines).filter(|one| one.is_of_processor);
    ours.map(|one| one.line).collect()
}

fn surroundings(settings: &Settings, bank: &BankSettings) -> Surroundings<'static> {
    let merchants: Vec<&Merchant> =
        settings.all_merchants().filter(|one| one.bank.as_ref() == Some(&bank.name)).collect();
    let mut currencies = merchants.iter().map(|merchant| merchant.currency);
    let first = currencies.next().flatten();
    Surroundings {
        currency: first.filter(|first| currencies.all(|other| other == Some(*first))),
        time_zone: merchants.first().map(|merchant| merchant.time_zone),
        merchant_ids: &[],
    }
}

fn of_bank(settings: &Settings, bank: &BankSettings) -> Probe {
    let mut sum = Sum::default();
    let surroundings = surroundings(settings, bank);
    match files_of(&bank.path) {
        Err(error) => sum.refuse(&error),
        Ok(files) => {
            sum.files = files.len();
            for path in files {
                sum.read(&path);
                match check_file(&path, bank, surroundings) {
                    Ok(statement) => {
                        let ours = statement.lines.iter().filter(|one| one.is_of_processor);
                        sum.rows += ours.count() as u64;
                        sum.all += statement.lines.len() as u64;
                        sum.left_out += statement.faults.len() as u64;
                        for span in statement.accounts.iter().flat_map(|one| &one.covers) {
                            sum.add_day(span.first);
                            sum.add_day(span.last);
                        }
                    }
                    Err(error) => sum.refuse(&error),
                }
            }
        }
    }
    if sum.rows == 0 && sum.all > 0 && sum.refused.is_none() {
        let (called, all) = (&bank.name, sum.all);
        let names: Vec<String> = bank.originators.iter().map(|one| format!("\"{one}\"")).collect();
        let found = format!("{called}: none of its {all} lines names {}", names.join(" or "));
        let hint = "set originators to the processor's name on the statement; tieout bank check \
                    FILE shows its lines";
        return Probe::warning("bank", found, hint);
    }
    sum.probe("bank", &bank.name, "lines of the processor")
}
