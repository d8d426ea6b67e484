//! CSV and XLSX as banks export them for people, with the columns that the configuration maps. They
//! do not state the days that they cover, so these are taken from the first line to the last.

use chrono::NaiveDate;
use chrono_tz::Tz;

use super::statement::{Entry, Statement, last4};
use crate::table::{
    AmountReader, Book, Booking, Cells, DateReader, Found, IGNORE, MoneyIn, Source, Sums, Table,
    TableError, Unmapped, Wanted, Words, booking, excerpt, is_balance, is_label, is_not_booked,
    is_total_of,
};
use tieout_config::BankSettings;
use tieout_model::LeftOut;
use tieout_model::money::{Currency, Minor};

const WANTED: Wanted = Wanted {
    needed: &["date", "description"],
    optional: &["direction", "status", "currency", "reference", "account"],
    is_split_whole: false,
};

/// A statement whose text is only in the reference.
const WANTED_BY_REFERENCE: Wanted = Wanted {
    needed: &["date", "reference"],
    optional: &["direction", "status", "currency", "account"],
    is_split_whole: false,
};

/// The kind of a row.
enum Reading {
    Line(Box<Entry>),
    Skipped(String),
    /// A row of text that continues the line above.
    More(String),
}

/// The parts of reading that all rows share.
struct RowReader {
    words: Words,
    amounts: AmountReader,
    default_currency: Option<Currency>,
    has_reversed_sign: bool,
}

/// Amounts below zero in a column of debits, or beside the word for debit or credit.
#[derive(Default)]
struct Reversals {
    has_positive_debit: bool,
    debits: Vec<usize>,
    credits: Vec<usize>,
}

/// Reads a whole table; `currency` applies where the table names none, `zone` to its timestamps.
pub(super) fn read(
    source: Source,
    bank: &BankSettings,
    currency: Option<Currency>,
    zone: Option<Tz>,
) -> Result<Statement, TableError> {
    let maps = |column| bank.table.columns.contains_key(column);
    let by_reference = maps("reference") && !maps("description");
    let wanted = if by_reference { WANTED_BY_REFERENCE } else { WANTED };
    let dates = DateReader::of(&bank.table, zone);
    let mut table = Table::open(source, &bank.table, wanted, dates)?;
    let reader = RowReader {
        words: Words::new(&bank.table.values),
        amounts: AmountReader::new(&bank.table, MoneyIn::Credit),
        default_currency: currency,
        has_reversed_sign: bank.table.has_reversed_sign,
    };
    let (mut statement, mut reversals) = (Statement::default(), Reversals::default());
    let (mut sums, mut unmapped) = (Sums::default(), Unmapped::of(table.columns(), Book::Bank));
    let mut first_pending: Option<NaiveDate> = None;
    while let Some(found) = table.next()? {
        match found {
            Found::Row => {
                let line = table.row().line;
                let reading = reader.read(&table, &mut sums);
                let is_in = match &reading {
                    Ok(Reading::Line(entry)) if entry.amount.0 != 0 => Some(entry.amount.0 > 0),
                    _ => None,
                };
                unmapped.look_at(table.row().cells, is_in);
                match reading {
                    Ok(Reading::Line(entry)) => {
                        reversals.note(statement.entries.len(), reader.written(&table, &entry));
                        statement.entries.push(*entry);
                    }
                    Ok(Reading::Skipped(reason)) => {
                        first_pending = earlier(first_pending, reader.pending_day(&table));
                        statement.skip(line, reason);
                    }
                    Ok(Reading::More(text)) => go_on(&mut statement, line, &text),
                    Err(reason) => statement.fault(line, reason),
                }
            }
            Found::Broken { line, rows, reason } => {
                for _ in 0..rows {
                    statement.fault(line, reason.clone());
                }
            }
            Found::Remark { line, reason } => statement.skip(line, reason),
        }
    }
    statement.notes = unmapped.check()?;
    reversals.apply(&mut statement);
    cover(&mut statement, first_pending);
    Ok(statement)
}

impl Reversals {
    /// Notes the amount of the entry at `place` as it is written, and whether it is a credit.
    fn note(&mut self, place: usize, written: Option<(bool, Minor)>) {
        match written {
            Some((false, Minor(debit))) if debit < 0 => self.debits.push(place),
            Some((false, Minor(debit))) => self.has_positive_debit |= debit > 0,
            Some((true, Minor(credit))) if credit < 0 => self.credits.push(place),
            _ => {}
        }
    }

    /// Beside positive debits, a debit below zero returns money, and a credit below zero takes it.
    /// Where debits have their minus, a credit with one contradicts itself.
    fn apply(self, statement: &mut Statement) {
        if self.has_positive_debit {
            for at in self.debits {
                let amount = &mut statement.entries[at].amount;
                *amount = Minor(amount.0.abs());
            }
            return;
        }
        for at in self.credits.into_iter().rev() {
            let line = statement.entries.remove(at).line;
            statement.fault(line, "expected one sign, found a negative amount that is a credit");
        }
    }
}

fn earlier(one: Option<NaiveDate>, other: Option<NaiveDate>) -> Option<NaiveDate> {
    [one, other].into_iter().flatten().min()
}

fn go_on(statement: &mut Statement, line: u64, text: &str) {
    if let Some(entry) = statement.entries.last_mut() {
        entry.text.push(' ');
        entry.text.push_str(text);
    }
    let reason = "text of the line above".to_owned();
    statement.skipped.push(LeftOut { line, reason });
}

impl RowReader {
    fn read(&self, table: &Table, sums: &mut Sums) -> Result<Reading, String> {
        let (row, columns) = (table.row(), table.columns());
        let cells = row.cells;
        if let Some(reason) = self.ignored(table)? {
            return Ok(Reading::Skipped(reason));
        }
        let cell = |at: Option<usize>| at.map_or("", |at| cells.get(at));
        let date = cell(columns.date);
        let has_money = columns.amounts().any(|at| !AmountReader::is_none(cells.get(at)));
        let has_label = || cells.iter().any(is_label);
        if date.is_empty() || is_label(date) || is_total_of(date) || row.is_footer {
            return self.undated(table, has_money, has_label(), sums);
        }
        // A balance is not a movement of money; a row of zero amounts is kept, as nothing moved.
        let is_zero = |at: usize| !cells.get(at).contains(|one: char| matches!(one, '1'..='9'));
        let has_balance = || cells.iter().any(is_balance) && !columns.amounts().all(is_zero);
        if (!has_money && has_label()) || has_balance() {
            return Ok(Reading::Skipped("a balance".to_owned()));
        }
        let is_word = date.starts_with(char::is_alphabetic);
        if is_word && matches!(booking("", date), Some(Booking::Pending | Booking::Dropped)) {
            return Ok(Reading::Skipped("pending, without a date".to_owned()));
        }
        if let Some(reason) = row.width_fault {
            return Err(reason.to_owned());
        }
        let date = table.dates().of_row(cells, columns)?;
        let currency = self.currency(cell(columns.currency))?;
        let amount = self.amount(table, currency)?;
        let description = cell(columns.description);
        if sums.is_sum(amount) && is_label(description) {
            sums.begin_again();
            return Ok(Reading::Skipped("a total: the sum of the rows above".to_owned()));
        }
        sums.add(Some(amount));
        let account = self.words.of("account", cell(columns.account));
        Ok(Reading::Line(Box::new(Entry {
            account_last4: last4(account),
            text: format!("{} {}", raw(cells, columns.description), raw(cells, columns.reference)),
            id: Some(cell(columns.reference).to_owned()).filter(|id| !id.is_empty()),
            ..Entry::new(row.line, date, amount, currency)
        })))
    }

    /// A row without a date: a total, a remark, or a text that continues. Money without a date is a
    /// fault.
    fn undated(
        &self,
        table: &Table,
        has_money: bool,
        has_label: bool,
        sums: &mut Sums,
    ) -> Result<Reading, String> {
        let (row, columns) = (table.row(), table.columns());
        let is_total = || {
            row.cells.iter().any(is_total_of)
                && self
                    .currency("")
                    .and_then(|currency| self.amount(table, currency))
                    .is_ok_and(|amount| sums.is_sum(amount))
        };
        if has_label || is_total() {
            sums.begin_again();
            return Ok(Reading::Skipped("a total, a balance or a footer".to_owned()));
        }
        if row.cells.iter().any(is_not_booked) {
            return Ok(Reading::Skipped("pending, without a date".to_owned()));
        }
        if has_money {
            return Err("expected a date, found nothing beside an amount".to_owned());
        }
        let text = raw(row.cells, columns.description);
        if text.trim().is_empty() || row.follows_blank || row.is_footer || row.width_fault.is_some()
        {
            return Ok(Reading::Skipped("a remark without date and amount".to_owned()));
        }
        Ok(Reading::More(text.to_owned()))
    }

    /// Why a row is skipped because of its status or direction, before its other cells are read.
    fn ignored(&self, table: &Table) -> Result<Option<String>, String> {
        let (cells, columns) = (table.row().cells, table.columns());
        let word = |column: &str, at: Option<usize>| {
            let cell = at.map_or("", |at| cells.get(at));
            (cell.to_owned(), self.words.translation(column, cell).map(str::to_owned))
        };
        let (direction, translated) = word("direction", columns.direction);
        if translated.as_deref() == Some(IGNORE) {
            return Ok(Some(format!("direction {} is ignored by values", excerpt(&direction))));
        }
        let (status, translated) = word("status", columns.status);
        match translated.as_deref() {
            Some("booked") => Ok(None),
            Some(IGNORE) => Ok(Some(format!("status {} is ignored by values", excerpt(&status)))),
            Some(word) => Ok(Some(format!("status {} is {word} by values", excerpt(&status)))),
            None if status.is_empty() => Ok(None),
            None => match booking_of(table) {
                Some(Booking::Booked) => Ok(None),
                Some(_) => Ok(Some(format!("status {} is not booked", excerpt(&status)))),
                None if cells.get(columns.date.unwrap_or_default()).is_empty() => Ok(None),
                None => Err(Words::refusal("status", &status, &["booked", "pending"])),
            },
        }
    }

    /// The date of a row that is still to be booked: its day is not over.
    fn pending_day(&self, table: &Table) -> Option<NaiveDate> {
        let (cells, columns) = (table.row().cells, table.columns());
        let is_pending = match booking_of(table) {
            Some(booking) => booking == Booking::Pending,
            None => self
                .words
                .translation("status", cells.get(columns.status?))
                .is_some_and(|word| word != "booked"),
        };
        is_pending.then(|| table.dates().of_row(cells, columns).ok())?
    }

    fn currency(&self, cell: &str) -> Result<Currency, String> {
        match self.words.of("currency", cell) {
            "" => self.default_currency.ok_or_else(|| {
                "expected a currency, found nothing, and the merchants of this bank agree in none"
                    .to_owned()
            }),
            code => Currency::from_code(&code.to_ascii_uppercase()).ok_or_else(|| {
                format!("expected an ISO 4217 code such as USD, found {}", excerpt(code))
            }),
        }
    }

    fn amount(&self, table: &Table, currency: Currency) -> Result<Minor, String> {
        let (cells, columns) = (table.row().cells, table.columns());
        let read = |at: Option<usize>| {
            at.map_or(Ok(None), |at| self.amounts.read(cells.get(at), cells.kind(at), currency))
        };
        let missing = || "expected an amount, found nothing".to_owned();
        if columns.amount.is_some() {
            let amount = read(columns.amount)?.ok_or_else(missing)?;
            let amount = if self.has_reversed_sign { Minor(-amount.0) } else { amount };
            return match columns.direction {
                Some(at) if self.is_credit(cells.get(at))? => Ok(amount),
                Some(_) => Ok(Minor(-amount.0.abs())),
                None => Ok(amount),
            };
        }
        // On a bank's statement a debit takes money away, whatever its sign.
        match (read(columns.debit)?, read(columns.credit)?) {
            (None, None) => Err(missing()),
            (Some(debit), None | Some(Minor(0))) => Ok(Minor(-debit.0.abs())),
            (None | Some(Minor(0)), Some(credit)) => Ok(credit),
            _ => Err("expected exactly one of debit and credit filled, found both".to_owned()),
        }
    }

    /// The amount of a row as it is written, where a column or a word says whether it is a credit.
    fn written(&self, table: &Table, entry: &Entry) -> Option<(bool, Minor)> {
        let (columns, cells) = (table.columns(), table.row().cells);
        let (is_credit, at) = match columns.direction {
            Some(direction) => (self.is_credit(cells.get(direction)).ok()?, columns.amount?),
            None => (false, columns.debit?),
        };
        let amount = self.amounts.read(cells.get(at), cells.kind(at), entry.currency).ok()??;
        let sign = if self.has_reversed_sign && columns.direction.is_some() { -1 } else { 1 };
        (amount.0 != 0).then_some((is_credit, Minor(sign * amount.0)))
    }

    fn is_credit(&self, cell: &str) -> Result<bool, String> {
        match self.words.of("direction", cell).to_lowercase().as_str() {
            "credit" | "cr" | "c" | "+" => Ok(true),
            "debit" | "dr" | "d" | "-" => Ok(false),
            "" => Err("expected credit or debit, found nothing".to_owned()),
            _ => Err(Words::refusal("direction", cell, &["credit", "debit"])),
        }
    }
}

/// The state of a row in the column for it.
fn booking_of(table: &Table) -> Option<Booking> {
    let (cells, columns) = (table.row().cells, table.columns());
    let at = columns.status?;
    booking(&columns.headers[at], cells.get(at))
}

fn raw(cells: &Cells, at: Option<usize>) -> &str {
    at.map_or("", |at| cells.raw(at))
}

/// Marks as covered, for each account, the days from its first line to its last, or to the day before
/// the first pending line.
fn cover(statement: &mut Statement, first_pending: Option<NaiveDate>) {
    let mut accounts: Vec<(String, Currency)> = statement
        .entries
        .iter()
        .map(|entry| (entry.account_last4.clone(), entry.currency))
        .collect();
    accounts.sort_by(|one, other| one.0.cmp(&other.0));
    accounts.dedup_by(|one, other| one.0 == other.0);
    for (account, currency) in accounts {
        statement.has_account(&account, Some(currency));
        let of_account = statement.entries.iter().filter(|entry| entry.account_last4 == account);
        let dates: Vec<NaiveDate> = of_account.map(|entry| entry.date).collect();
        let over = first_pending.and_then(|pending| pending.pred_opt());
        let last = dates.iter().max().map(|last| over.map_or(*last, |over| over.min(*last)));
        if let (Some(first), Some(last)) = (dates.iter().min(), last) {
            statement.covers(&account, *first, last);
        }
    }
}
