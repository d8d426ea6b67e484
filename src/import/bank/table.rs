//! CSV, as banks export it for people: columns as the configuration maps them. It says nothing
//! of the days that it covers, so these are taken from its first line to its last.

use chrono::NaiveDate;
use csv::{ReaderBuilder, StringRecord};

use super::statement::{Broken, Entry, Statement, last4};
use crate::config::BankSettings;
use crate::import::ledger::Separators;
use crate::import::ledger::excerpt;
use crate::import::ledger::parse_amount;
use crate::money::{Currency, Minor};

/// Positions of the cells that a file has.
struct Columns {
    date: usize,
    amount: Option<usize>,
    debit: Option<usize>,
    credit: Option<usize>,
    description: Option<usize>,
    reference: Option<usize>,
    currency: Option<usize>,
    account: Option<usize>,
}

/// Reads a whole file; `currency` holds where the file names none.
pub(super) fn read(
    text: &str,
    bank: &BankSettings,
    currency: Option<Currency>,
) -> Result<Statement, Broken> {
    let skipped = usize::try_from(bank.skip_lines).unwrap_or(usize::MAX);
    let body = match text.match_indices('\n').nth(skipped.wrapping_sub(1)) {
        Some((at, _)) if skipped > 0 => &text[at + 1..],
        _ => text,
    };
    let delimiter = u8::try_from(bank.delimiter)
        .ok()
        .filter(|byte| byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r'))
        .ok_or_else(|| Broken::at(1, "expected a delimiter of one ASCII character"))?;
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(body.as_bytes());
    let mut rows = reader.records();
    let Some(Ok(header)) = rows.next() else {
        return Err(Broken::at(bank.skip_lines + 1, "expected a header row, found nothing"));
    };
    let columns = find(&header, bank)?;
    let mut statement = Statement::default();
    for row in rows {
        let row = row.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            Broken::at(bank.skip_lines + line, "cannot be read as CSV: is a quote open?")
        })?;
        let line = bank.skip_lines + row.position().map_or(0, csv::Position::line);
        match entry(&row, line, &columns, bank, currency) {
            Ok(Some(entry)) => statement.entries.push(entry),
            Ok(None) => {}
            Err(reason) => statement.fault(line, reason),
        }
    }
    cover(&mut statement);
    Ok(statement)
}

fn find(header: &StringRecord, bank: &BankSettings) -> Result<Columns, Broken> {
    let position = |column: &str| {
        let wanted = bank.columns.get(column).map_or(column, String::as_str).trim().to_lowercase();
        header.iter().position(|name| name.trim().to_lowercase() == wanted)
    };
    let missing = |column: &str| {
        let wanted = bank.columns.get(column).map_or(column, String::as_str);
        let found: Vec<String> = header.iter().take(20).map(excerpt).collect();
        let found = found.join(", ");
        let reason = format!("column {column}, expected a header \"{wanted}\", found {found}");
        Broken::at(bank.skip_lines + 1, reason)
    };
    let columns = Columns {
        date: position("date").ok_or_else(|| missing("date"))?,
        amount: position("amount"),
        debit: position("debit"),
        credit: position("credit"),
        description: position("description"),
        reference: position("reference"),
        currency: position("currency"),
        account: position("account"),
    };
    let has_amount = columns.amount.is_some();
    if !has_amount && columns.debit.is_none() && columns.credit.is_none() {
        return Err(missing("amount"));
    }
    for column in bank.columns.keys() {
        if position(column).is_none() {
            return Err(missing(column));
        }
    }
    Ok(columns)
}

/// A row as a line; `None` for a total or a remark, which has no date.
fn entry(
    row: &StringRecord,
    line: u64,
    columns: &Columns,
    bank: &BankSettings,
    default_currency: Option<Currency>,
) -> Result<Option<Entry>, String> {
    let cell = |at: Option<usize>| at.and_then(|at| row.get(at)).unwrap_or("").trim();
    let date = cell(Some(columns.date));
    if date.is_empty() {
        return Ok(None);
    }
    let date = NaiveDate::parse_from_str(date, &bank.date_format)
        .map_err(|_| format!("expected a date as {}, found {}", bank.date_format, excerpt(date)))?;
    let currency = match cell(columns.currency) {
        "" => default_currency.ok_or("expected a currency, found nothing")?,
        code => Currency::from_code(&code.to_ascii_uppercase()).ok_or_else(|| {
            format!("expected an ISO 4217 code such as USD, found {}", excerpt(code))
        })?,
    };
    let separators = Separators { decimal: bank.decimal, thousands: bank.thousands };
    let read = |text: &str| parse_amount(text, separators, currency);
    let amount = match (cell(columns.amount), cell(columns.debit), cell(columns.credit)) {
        ("", "", "") => return Err("expected an amount, found nothing".to_owned()),
        ("", debit, credit) => split(debit, credit, &read)?,
        (amount, _, _) => read(amount)?,
    };
    Ok(Some(Entry {
        line,
        account_last4: last4(cell(columns.account)),
        date,
        amount,
        currency,
        text: format!("{} {}", cell(columns.description), cell(columns.reference)),
    }))
}

/// On a bank's statement a debit takes money away, whatever its sign.
fn split(
    debit: &str,
    credit: &str,
    read: &dyn Fn(&str) -> Result<Minor, String>,
) -> Result<Minor, String> {
    let of = |text: &str| if text.is_empty() { Ok(Minor(0)) } else { read(text) };
    match (of(debit)?, of(credit)?) {
        (debit, Minor(0)) => Ok(Minor(-debit.0.abs())),
        (Minor(0), credit) => Ok(credit),
        _ => Err("expected exactly one of debit and credit filled, found both".to_owned()),
    }
}

fn cover(statement: &mut Statement) {
    let mut accounts: Vec<String> =
        statement.entries.iter().map(|entry| entry.account_last4.clone()).collect();
    accounts.sort();
    accounts.dedup();
    for account in accounts {
        let dates = || {
            let of_account =
                statement.entries.iter().filter(|entry| entry.account_last4 == account);
            of_account.map(|entry| entry.date)
        };
        if let (Some(first), Some(last)) = (dates().min(), dates().max()) {
            statement.covers(&account, first, last);
        }
    }
}
