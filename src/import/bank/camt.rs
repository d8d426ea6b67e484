//! camt.053, the bank statement of ISO 20022, in any of its versions: they differ in names that
//! are not needed here. A line is an entry (`Ntry`), however many payments are behind it.

use chrono::NaiveDate;
use quick_xml::Reader as XmlReader;
use quick_xml::events::{BytesStart, Event};

use super::number::{leading_date, major};
use super::statement::{Broken, Entry, Statement, last4};
use crate::money::{Currency, Minor};

/// Deeper than any statement.
const MAX_DEPTH: usize = 64;

/// Reads a whole file.
pub(super) fn read(text: &str) -> Result<Statement, Broken> {
    let mut xml = XmlReader::from_str(text);
    let mut reader = Reader { lines: Lines { text, at: 0, line: 1 }, ..Reader::new(text) };
    let mut is_finished = false;
    loop {
        let at = usize::try_from(xml.buffer_position()).unwrap_or(usize::MAX);
        let line = reader.lines.of(at);
        let event = xml
            .read_event()
            .map_err(|error| Broken::at(line, format!("expected XML, found: {error}")))?;
        match event {
            Event::Start(start) => reader.open(&start, line)?,
            Event::Text(text) => reader.value.push_str(&text.xml10_content()),
            Event::CData(text) => reader.value.push_str(&text.xml10_content()),
            // An ampersand in a name: what it stands for does not matter for comparing names.
            Event::GeneralRef(_) => reader.value.push(' '),
            Event::End(_) => {
                reader.close(line)?;
                is_finished = reader.path.is_empty();
            }
            Event::Eof => break,
            Event::Empty(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_) => {}
        }
    }
    if is_finished {
        Ok(reader.statement)
    } else {
        Err(Broken::at(reader.lines.line, "expected the end of the document, found the file's"))
    }
}

/// Tells on which line a position stands; positions only grow.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: u64,
}

impl Lines<'_> {
    fn of(&mut self, at: usize) -> u64 {
        let at = at.min(self.text.len());
        let passed = &self.text.as_bytes()[self.at.min(at)..at];
        self.line += passed.split(|byte| *byte == b'\n').count() as u64 - 1;
        self.at = at;
        self.line
    }
}

struct Reader<'a> {
    statement: Statement,
    lines: Lines<'a>,
    path: Vec<String>,
    value: String,
    currency_attribute: Option<String>,
    account: String,
    balance: Balance,
    balances: Vec<Balance>,
    period: (Option<NaiveDate>, Option<NaiveDate>),
    entry: Option<Line>,
    /// What the entries of the statement add up to, by currency code.
    sum: i64,
}

/// A balance of a statement.
#[derive(Clone, Default)]
struct Balance {
    code: String,
    amount: Option<Minor>,
    currency: Option<Currency>,
    is_debit: bool,
    date: Option<NaiveDate>,
}

impl Balance {
    fn signed(&self) -> Option<i64> {
        let amount = self.amount?.0;
        Some(if self.is_debit { -amount } else { amount })
    }
}

/// An entry that is being read.
#[derive(Default)]
struct Line {
    at: u64,
    amount: Option<Minor>,
    currency: Option<Currency>,
    is_credit: Option<bool>,
    status: String,
    booked: Option<NaiveDate>,
    text: String,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            statement: Statement::default(),
            lines: Lines { text, at: 0, line: 1 },
            path: Vec::new(),
            value: String::new(),
            currency_attribute: None,
            account: String::new(),
            balance: Balance::default(),
            balances: Vec::new(),
            period: (None, None),
            entry: None,
            sum: 0,
        }
    }

    fn open(&mut self, start: &BytesStart<'_>, line: u64) -> Result<(), Broken> {
        if self.path.len() == MAX_DEPTH {
            return Err(Broken::at(line, format!("expected at most {MAX_DEPTH} levels of XML")));
        }
        let name = start.local_name().as_ref().to_owned();
        self.value.clear();
        self.currency_attribute =
            start.try_get_attribute("Ccy").ok().flatten().and_then(|attribute| {
                Some(
                    attribute
                        .normalized_value(quick_xml::XmlVersion::Implicit1_0)
                        .ok()?
                        .into_owned(),
                )
            });
        match name.as_str() {
            "Stmt" => {
                self.account.clear();
                self.balances.clear();
                self.period = (None, None);
                self.sum = 0;
            }
            "Bal" => self.balance = Balance::default(),
            "Ntry" => self.entry = Some(Line { at: line, ..Line::default() }),
            _ => {}
        }
        self.path.push(name);
        Ok(())
    }

    fn close(&mut self, line: u64) -> Result<(), Broken> {
        let value = std::mem::take(&mut self.value);
        let value = value.trim();
        let path = std::mem::take(&mut self.path);
        let names: Vec<&str> = path.iter().map(String::as_str).collect();
        let statement_at = names.iter().position(|name| *name == "Stmt");
        if let Some(at) = statement_at {
            match &names[at + 1..] {
                [] => self.finish_statement(line)?,
                ["Acct", "Id", "IBAN"] | ["Acct", "Id", "Othr", "Id"] => {
                    self.account = last4(value);
                }
                ["FrToDt", "FrDtTm" | "FrDt"] => self.period.0 = leading_date(value),
                ["FrToDt", "ToDtTm" | "ToDt"] => self.period.1 = last_whole_day(value),
                ["Bal"] => self.balances.push(self.balance.clone()),
                ["Bal", rest @ ..] => self.note_balance(rest, value),
                ["Ntry"] => self.finish_entry()?,
                ["Ntry", rest @ ..] => self.note_entry(rest, value),
                _ => {}
            }
        }
        self.path = path;
        self.path.pop();
        Ok(())
    }

    fn amount(&self, value: &str) -> (Option<Minor>, Option<Currency>) {
        let currency = self.currency_attribute.as_deref().and_then(Currency::from_code);
        (currency.and_then(|currency| major(value, &['.'], currency)), currency)
    }

    fn note_balance(&mut self, rest: &[&str], value: &str) {
        match rest {
            ["Tp", "CdOrPrtry", "Cd"] | ["Tp", "Cd"] => value.clone_into(&mut self.balance.code),
            ["Amt"] => (self.balance.amount, self.balance.currency) = self.amount(value),
            ["CdtDbtInd"] => self.balance.is_debit = value == "DBIT",
            ["Dt", "Dt" | "DtTm"] => self.balance.date = leading_date(value),
            _ => {}
        }
    }

    fn note_entry(&mut self, rest: &[&str], value: &str) {
        let amount = self.amount(value);
        let Some(entry) = &mut self.entry else { return };
        match rest {
            ["Amt"] => (entry.amount, entry.currency) = amount,
            ["CdtDbtInd"] => entry.is_credit = Some(value == "CRDT"),
            ["Sts"] | ["Sts", "Cd"] if !value.is_empty() => value.clone_into(&mut entry.status),
            ["BookgDt", "Dt" | "DtTm"] => entry.booked = leading_date(value),
            // Names, references and remarks, wherever a version of the format puts them.
            [
                ..,
                "Nm" | "Ustrd" | "AddtlNtryInf" | "AddtlTxInf" | "AcctSvcrRef" | "NtryRef"
                | "EndToEndId" | "TxId" | "InstrId" | "Ref",
            ] => {
                entry.text.push(' ');
                entry.text.push_str(value);
            }
            _ => {}
        }
    }

    fn finish_entry(&mut self) -> Result<(), Broken> {
        let Some(entry) = self.entry.take() else { return Ok(()) };
        // What is pending or for information has not moved any money.
        if !matches!(entry.status.as_str(), "" | "BOOK") {
            return Ok(());
        }
        let (Some(amount), Some(currency)) = (entry.amount, entry.currency) else {
            self.statement.fault(entry.at, "expected an amount with its currency in Amt");
            return Ok(());
        };
        let Some(is_credit) = entry.is_credit else {
            self.statement.fault(entry.at, "expected CRDT or DBIT in CdtDbtInd");
            return Ok(());
        };
        let Some(date) = entry.booked else {
            self.statement.fault(entry.at, "expected a booking date in BookgDt");
            return Ok(());
        };
        let amount = if is_credit { amount } else { Minor(-amount.0) };
        self.sum = self
            .sum
            .checked_add(amount.0)
            .ok_or_else(|| Broken::at(entry.at, "the sum of the amounts overflows"))?;
        self.statement.entries.push(Entry {
            line: entry.at,
            account_last4: String::new(),
            date,
            amount,
            currency,
            text: entry.text,
        });
        Ok(())
    }

    /// The account may stand behind the entries; the balances must agree with them.
    fn finish_statement(&mut self, line: u64) -> Result<(), Broken> {
        for entry in self.statement.entries.iter_mut().rev() {
            if !entry.account_last4.is_empty() {
                break;
            }
            entry.account_last4.clone_from(&self.account);
        }
        let of = |codes: [&str; 2]| {
            self.balances.iter().find(|balance| codes.contains(&balance.code.as_str()))
        };
        let (opening, closing) = (of(["OPBD", "PRCD"]).cloned(), of(["CLBD", "CLBD"]).cloned());
        if let (Some(opening), Some(closing)) = (&opening, &closing)
            && let (Some(before), Some(after)) = (opening.signed(), closing.signed())
            && opening.currency == closing.currency
            && self.statement.faults.is_empty()
        {
            let expected = before.checked_add(self.sum);
            if expected != Some(after) {
                let sum = self.sum;
                let reason = format!(
                    "expected entries of {} minor units between the balances, found {sum}",
                    after.wrapping_sub(before)
                );
                return Err(Broken::at(line, reason));
            }
        }
        let account = self.account.clone();
        match (self.period, opening.and_then(|one| one.date), closing.and_then(|one| one.date)) {
            ((Some(first), Some(last)), _, _) => self.statement.covers(&account, first, last),
            (_, Some(opening), Some(closing)) => {
                self.statement.covers_between(&account, opening, closing);
            }
            (_, None, Some(closing)) => self.statement.covers(&account, closing, closing),
            _ => {}
        }
        Ok(())
    }
}

/// The last day of a period: one that ends at midnight ends with the day before.
fn last_whole_day(value: &str) -> Option<NaiveDate> {
    let date = leading_date(value)?;
    let is_midnight = value.get(10..).is_some_and(|time| time.starts_with("T00:00:00"));
    if is_midnight { date.pred_opt() } else { Some(date) }
}
