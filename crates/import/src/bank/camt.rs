//! camt.053, the bank statement of ISO 20022, in any version: they differ in names that are not
//! needed here. A line is an entry (`Ntry`); its payments are kept as parts where they add up to
//! the entry.

mod book;
mod entry;
mod summary;

use chrono_tz::Tz;
use quick_xml::Reader as XmlReader;
use quick_xml::events::{BytesStart, Event};

use super::markup::entity;
use super::moment::{self, Moment};
use super::number::{leading_date, major};
use super::statement::{Broken, Statement, last4};
use book::{Balance, Book, Page};
use entry::{Payment, Raw};
use summary::{OfCode, Summary};
use tieout_model::money::{Currency, Minor};

/// Deeper than any statement.
const MAX_DEPTH: usize = 64;

/// Reads a whole file; a timestamp with an offset belongs to its day in `zone`.
pub(super) fn read(text: &str, zone: Option<Tz>) -> Result<Statement, Broken> {
    let mut xml = XmlReader::from_str(text);
    let mut reader = Reader { zone, ..Reader::default() };
    let mut lines = Lines { text, at: 0, line: 1 };
    let mut is_finished = false;
    loop {
        let at = usize::try_from(xml.buffer_position()).unwrap_or(usize::MAX);
        let line = lines.of(at);
        let event = xml
            .read_event()
            .map_err(|error| Broken::at(line, format!("expected XML, found: {error}")))?;
        match event {
            Event::Start(start) => reader.open(&start, line)?,
            Event::Text(text) => reader.value.push_str(&text.xml10_content()),
            Event::CData(text) => reader.value.push_str(&text.xml10_content()),
            Event::GeneralRef(name) => {
                let name = name.xml10_content();
                let Some(character) = entity(&name) else {
                    let reason = format!("expected a character, found the entity &{name};");
                    return Err(Broken::at(line, reason));
                };
                reader.value.push(character);
            }
            Event::End(_) => {
                reader.close(line)?;
                is_finished = reader.path.is_empty();
            }
            // `<BR/>` in a text is a space.
            Event::Empty(_) => reader.value.push(' '),
            Event::Eof => break,
            // One that is not closed would take a whole document with it.
            Event::Decl(_) | Event::PI(_) if holds_a_tag(text, at, xml.buffer_position()) => {
                let reason = "expected ?> at the end of the declaration, found another tag";
                return Err(Broken::at(line, reason));
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    if !is_finished {
        return Err(Broken::at(lines.line, "expected the end of the document, found the file's"));
    }
    if reader.statements == 0 {
        return Err(Broken::at(lines.line, "it holds no statement (Stmt)"));
    }
    Ok(reader.statement)
}

/// Whether the markup from `at` to `end` holds a tag besides its own.
fn holds_a_tag(text: &str, at: usize, end: u64) -> bool {
    let end = usize::try_from(end).unwrap_or(usize::MAX);
    text.get(at..end.min(text.len())).is_some_and(|markup| markup.rfind('<') != markup.find('<'))
}

/// Finds the line of a position; positions only grow.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: u64,
}

impl Lines<'_> {
    fn of(&mut self, at: usize) -> u64 {
        let at = at.min(self.text.len());
        let passed = &self.text.as_bytes()[self.at.min(at)..at];
        self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
        self.at = at;
        self.line
    }
}

#[derive(Default)]
struct Reader {
    statement: Statement,
    zone: Option<Tz>,
    path: Vec<String>,
    value: String,
    currency_attribute: Option<String>,
    /// When the file was created.
    created: Option<Moment>,
    /// The number of this file among the files of one message, and whether it is the last of them.
    message: (Option<u64>, Option<bool>),
    page: Page,
    balance: Balance,
    summary: Summary,
    entry: Option<Raw>,
    book: Book,
    statements: u64,
}

impl Reader {
    fn open(&mut self, start: &BytesStart<'_>, line: u64) -> Result<(), Broken> {
        if self.path.len() == MAX_DEPTH {
            return Err(Broken::at(line, format!("expected at most {MAX_DEPTH} levels of XML")));
        }
        let name = start.local_name().as_ref().to_owned();
        self.value.clear();
        self.currency_attribute = currency_attribute(start);
        match name.as_str() {
            "Stmt" => {
                self.statements += 1;
                let first_entry = self.statement.entries.len();
                let first_fault = self.statement.faults.len();
                self.page = Page::begin(self.created, first_entry, first_fault);
                let (number, is_last) = self.message;
                self.page.is_of_many = number.is_some_and(|one| one != 1) || is_last == Some(false);
            }
            "Bal" => self.balance = Balance::default(),
            "Ntry" if self.path.last().is_some_and(|outer| outer == "Stmt") => {
                self.entry = Some(Raw::at(line));
            }
            "Ntry" => {
                let reason = "expected each entry (Ntry) in a statement (Stmt), found one outside";
                return Err(Broken::at(line, reason));
            }
            "NtryDtls" => {
                if let Some(entry) = &mut self.entry {
                    entry.begin_batch(line);
                }
            }
            "TxDtls" => {
                if let Some(entry) = &mut self.entry {
                    entry.payments.push(Payment::at(line));
                    entry.is_in_payment = true;
                }
            }
            "TtlNtries" | "TtlCdtNtries" | "TtlDbtNtries" | "TtlNtriesPerBkTxCd" => {
                self.summary = Summary { line, ..Summary::default() };
            }
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
        if let Some(at) = names.iter().position(|name| *name == "Stmt") {
            self.note(&names[at + 1..], value, line)?;
        } else if names.ends_with(&["GrpHdr", "CreDtTm"]) {
            self.created = self.moment(value);
        } else if names.ends_with(&["MsgPgntn", "PgNb"]) {
            self.message.0 = value.parse().ok();
        } else if names.ends_with(&["MsgPgntn", "LastPgInd"]) {
            self.message.1 = Some(is_true(value));
        }
        self.path = path;
        self.path.pop();
        Ok(())
    }

    fn note(&mut self, names: &[&str], value: &str, line: u64) -> Result<(), Broken> {
        match names {
            [] => self.book.close(&self.page, &mut self.statement, line)?,
            ["Id"] => value.clone_into(&mut self.page.id),
            ["CreDtTm"] => self.page.created = self.moment(value),
            ["StmtPgntn", "PgNb"] => self.page.number = value.parse().ok(),
            ["StmtPgntn", "LastPgInd"] => self.page.is_last = Some(is_true(value)),
            ["FrToDt", "FrDtTm" | "FrDt"] => self.page.period.start = self.moment(value),
            ["FrToDt", "ToDtTm" | "ToDt"] => self.page.period.end = self.moment(value),
            ["Acct", "Id", "IBAN"] | ["Acct", "Id", "Othr", "Id"] => {
                self.page.account = last4(value);
            }
            ["Acct", "Ccy"] => self.page.currency = Currency::from_code(value),
            ["Bal"] => self.page.balances.push(self.balance.clone()),
            ["Bal", rest @ ..] => self.note_balance(rest, value),
            ["TxsSummry", level @ ("TtlNtries" | "TtlCdtNtries" | "TtlDbtNtries")] => {
                let summary = std::mem::take(&mut self.summary);
                self.page.summaries.push((Summary::level(level), summary));
            }
            ["TxsSummry", "TtlNtriesPerBkTxCd"] => {
                self.page.of_codes.push(OfCode::of(std::mem::take(&mut self.summary)));
            }
            ["TxsSummry", _, "BkTxCd", rest @ ..] => self.summary.code.note(rest, value),
            ["TxsSummry", _, "FcstInd"] => self.summary.is_forecast = is_true(value),
            ["TxsSummry", _, "NbOfNtries"] => self.summary.count = value.parse().ok(),
            ["TxsSummry", _, "Sum"] => value.clone_into(&mut self.summary.sum),
            ["TxsSummry", _, "TtlNetNtryAmt"] | ["TxsSummry", _, "TtlNetNtry", "Amt"] => {
                value.clone_into(&mut self.summary.net);
            }
            ["TxsSummry", _, "CdtDbtInd"] | ["TxsSummry", _, "TtlNetNtry", "CdtDbtInd"] => {
                self.summary.is_debit = value == "DBIT";
            }
            ["Ntry"] => self.finish_entry()?,
            ["Ntry", rest @ ..] => self.note_entry(rest, value),
            _ => {}
        }
        Ok(())
    }

    fn moment(&self, value: &str) -> Option<Moment> {
        moment::iso(value, self.zone)
    }

    fn amount(&self, value: &str) -> (Option<Minor>, Option<Currency>) {
        let code = self.currency_attribute.as_deref().map(str::to_ascii_uppercase);
        let currency = code.as_deref().and_then(Currency::from_code);
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
        let (amount, zone) = (self.amount(value), self.zone);
        if let Some(entry) = &mut self.entry {
            entry.note(rest, value, amount, zone);
        }
    }

    fn finish_entry(&mut self) -> Result<(), Broken> {
        let Some(entry) = self.entry.take() else { return Ok(()) };
        self.page.entries += 1;
        self.statement.has_room(entry.line)?;
        entry.finish(&mut self.statement, &mut self.page)
    }
}

fn is_true(value: &str) -> bool {
    matches!(value, "true" | "1")
}

fn currency_attribute(start: &BytesStart<'_>) -> Option<String> {
    let attribute = start.try_get_attribute("Ccy").ok().flatten()?;
    let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok()?;
    Some(value.into_owned())
}
