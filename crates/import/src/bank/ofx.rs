//! OFX, in both of its forms: SGML without end tags, and XML. It states no sum to check.

use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;

use super::markup::{Mark, Token, tokens};
use super::moment::{self, Moment, Period};
use super::number::{leading_date, written};
use super::repeats::Repeats;
use super::statement::{Broken, Entry, Statement, last4};
use crate::table::excerpt;
use tieout_model::LeftOut;
use tieout_model::money::{Currency, Minor};

/// Elements of a transaction whose text does not name its originator, or is private.
const NO_TEXTS: [&str; 24] = [
    "TRNTYPE",
    "DTPOSTED",
    "DTUSER",
    "DTAVAIL",
    "TRNAMT",
    "CURRATE",
    "CURSYM",
    "SIC",
    "SRVRTID",
    "CORRECTFITID",
    "CORRECTACTION",
    "BANKID",
    "BRANCHID",
    "ACCTID",
    "ACCTTYPE",
    "ACCTKEY",
    "POSTALCODE",
    "PHONE",
    "COUNTRY",
    "STATE",
    "INV401KSOURCE",
    "LOANINTERESTPMT",
    "BROKERID",
    "INSECURITY",
];

/// Checks whether a text is OFX.
pub(super) fn is_ofx(text: &str) -> bool {
    let start = text.trim_start();
    let head: String = start.chars().take(4_096).collect::<String>().to_ascii_uppercase();
    head.starts_with("OFXHEADER") || head.contains("<OFX>") || head.contains("<OFX ")
}

/// Reads a whole file.
pub(super) fn read(text: &str, zone: Option<chrono_tz::Tz>) -> Result<Statement, Broken> {
    let mut reader = Reader { zone, ..Reader::default() };
    for token in tokens(text) {
        reader.take(token)?;
    }
    let line = text.lines().count() as u64;
    if !reader.is_closed {
        return Err(Broken::at(line, "expected the end tag </OFX>, found the end of the file"));
    }
    if reader.statements == 0
        && let Some(kind) = reader.other
    {
        let remedy = "download the statement of the account that the deposits arrive on";
        return Err(Broken::of_another_kind(kind, remedy));
    }
    if reader.statements == 0 {
        let status = reader.status.map(|code| format!(" (its status is {code})"));
        let reason = format!("it holds no statement{}", status.unwrap_or_default());
        return Err(Broken::at(line, reason));
    }
    if !reader.withdrawn.is_empty() {
        let entries = (0..).zip(std::mem::take(&mut reader.statement.entries));
        let kept = entries.filter(|(at, _)| !reader.withdrawn.contains(at));
        reader.statement.entries = kept.map(|(_, entry)| entry).collect();
    }
    reader.take_signs_from_types();
    Ok(reader.statement)
}

#[expect(clippy::struct_excessive_bools, reason = "what was seen of a file so far")]
#[derive(Default)]
struct Reader {
    statement: Statement,
    zone: Option<chrono_tz::Tz>,
    /// The element whose text comes next.
    element: String,
    account: String,
    currency: Option<Currency>,
    list: Option<List>,
    repeats: Repeats,
    answer: Option<Answer>,
    transaction: Option<Transaction>,
    /// Whether the transaction is in the list of those not booked.
    is_pending: bool,
    /// Inside an aggregate with another account's number or address.
    aside: Option<String>,
    /// When the file was created.
    made: Option<Moment>,
    /// The first entry of each account and bank id.
    places: HashMap<(String, String), usize>,
    /// Entries that a later line has withdrawn.
    withdrawn: HashSet<usize>,
    /// Lines that an earlier correction withdraws: account and bank id.
    corrected: HashMap<(String, String), String>,
    statements: u64,
    /// A statement of another kind of account.
    other: Option<&'static str>,
    /// Whether any amount has a minus.
    has_minus: bool,
    /// Whether the statement being read is of another kind.
    is_elsewhere: bool,
    /// Whether the statement has an account, or a list.
    has_content: bool,
    status: Option<String>,
    is_closed: bool,
}

/// The bank's response for one requested statement.
#[derive(Default)]
struct Answer {
    line: u64,
    has_statement: bool,
    /// Whether its status is an error, with the code.
    is_error: bool,
    code: String,
}

/// A list of transactions with its period.
#[derive(Default)]
struct List {
    period: Period,
    first_entry: usize,
}

#[derive(Default)]
struct Transaction {
    line: u64,
    kind: String,
    posted: String,
    amount: String,
    currency: Option<String>,
    is_foreign: bool,
    id: Option<String>,
    corrects: Option<String>,
    action: String,
    text: String,
    name: String,
    memo: String,
}

impl Reader {
    fn take(&mut self, token: Token) -> Result<(), Broken> {
        match token.mark {
            // A line break in a text.
            Mark::Open(name) | Mark::Close(name) if name == "BR" => Ok(()),
            Mark::Open(name) => self.open(name, token.line),
            Mark::Close(name) => self.close(&name, token.line),
            Mark::Text(text) => self.text(&text, token.line),
        }
    }

    fn open(&mut self, name: String, line: u64) -> Result<(), Broken> {
        match name.as_str() {
            "STMTTRN" | "STMTTRNP" => {
                // An end tag may be missing.
                self.finish()?;
                self.is_pending = name == "STMTTRNP";
                self.transaction = Some(Transaction { line, ..Transaction::default() });
            }
            "STMTTRNRS" | "CCSTMTTRNRS" => {
                self.answer = Some(Answer { line, ..Answer::default() });
            }
            "STMTRS" | "CCSTMTRS" => {
                self.statements += 1;
                if let Some(answer) = &mut self.answer {
                    answer.has_statement = true;
                }
                (self.account, self.currency, self.has_content) = (String::new(), None, false);
            }
            "INVSTMTRS" | "LOANSTMTRS" | "AMRTSTMTRS" => {
                self.is_elsewhere = true;
                self.other = Some(match name.as_str() {
                    "INVSTMTRS" => "the statement of an investment account",
                    _ => "the statement of a loan account",
                });
            }
            "BANKTRANLIST" | "LEDGERBAL" => {
                self.has_content = true;
                if name == "BANKTRANLIST" {
                    let first_entry = self.statement.entries.len();
                    self.list = Some(List { first_entry, ..List::default() });
                }
            }
            "CURRENCY" | "ORIGCURRENCY" => {
                if let Some(transaction) = &mut self.transaction {
                    transaction.is_foreign = name == "CURRENCY";
                }
            }
            "BANKACCTTO" | "CCACCTTO" | "BANKACCTFROM" | "CCACCTFROM" => {
                self.aside = self.transaction.is_some().then(|| name.clone());
            }
            _ => {}
        }
        self.element = name;
        Ok(())
    }

    fn close(&mut self, name: &str, line: u64) -> Result<(), Broken> {
        self.element.clear();
        match name {
            "STMTTRN" | "STMTTRNP" => {
                if self.transaction.is_none() {
                    return Err(Broken::at(line, "expected <STMTTRN> before its end tag"));
                }
                self.finish()?;
            }
            "BANKTRANLIST" => {
                self.finish()?;
                self.end_list();
            }
            "STMTRS" | "CCSTMTRS" => {
                self.finish()?;
                self.list = None;
                if self.account.is_empty() && !self.has_content {
                    let reason = "expected a statement, found a shell without an account, a period \
                                  and a list of transactions";
                    return Err(Broken::at(line, reason));
                }
                let account = self.account.clone();
                self.statement.has_account(&account, self.currency);
            }
            "STMTTRNRS" | "CCSTMTTRNRS" => self.end_answer()?,
            "INVSTMTRS" | "LOANSTMTRS" | "AMRTSTMTRS" => {
                self.finish()?;
                self.is_elsewhere = false;
            }
            "OFX" => {
                self.finish()?;
                self.is_closed = true;
            }
            _ if self.aside.as_deref() == Some(name) => self.aside = None,
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str, line: u64) -> Result<(), Broken> {
        let element = self.element.as_str();
        if let Some(transaction) = &mut self.transaction {
            transaction.note(element, text, self.aside.is_some());
            return Ok(());
        }
        match element {
            "CURDEF" => {
                let code = text.to_ascii_uppercase();
                let currency = Currency::from_code(&code);
                let wrong = || Broken::at(line, "expected a currency of ISO 4217 in CURDEF");
                self.currency = Some(currency.ok_or_else(wrong)?);
            }
            "ACCTID" if !self.is_elsewhere => self.account = last4(text),
            "DTSERVER" => self.made = moment::ofx(text, self.zone),
            "CODE" if text != "0" => {
                self.status = Some(text.to_owned());
                if let Some(answer) = &mut self.answer {
                    text.clone_into(&mut answer.code);
                }
            }
            "SEVERITY" if text.eq_ignore_ascii_case("ERROR") => {
                if let Some(answer) = &mut self.answer {
                    answer.is_error = true;
                }
            }
            "DTSTART" | "DTEND" => {
                let list = self.list.get_or_insert_default();
                let moment = moment::ofx(text, self.zone);
                if element == "DTSTART" {
                    list.period.start = moment;
                } else {
                    list.period.end = moment;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A statement that the bank could not deliver is an error, not an empty statement.
    fn end_answer(&mut self) -> Result<(), Broken> {
        let Some(answer) = self.answer.take().filter(|answer| answer.is_error) else {
            return Ok(());
        };
        let reason = format!("the bank's answer is an error (its status is {})", answer.code);
        if answer.has_statement {
            return Err(Broken::at(answer.line, reason));
        }
        self.statement.skip(answer.line, reason);
        Ok(())
    }

    fn end_list(&mut self) {
        let Some(list) = self.list.take() else { return };
        let account = self.account.clone();
        let head = format!("{account}\n{:?}", list.period);
        self.repeats.end(head, list.first_entry, &mut self.statement);
        let lines = self.statement.entries.get(list.first_entry..).unwrap_or_default();
        let days = list.period.days(lines.iter().map(|entry| entry.date));
        if let Some((first, last)) = days {
            let latest = lines.iter().map(|entry| entry.date).max();
            if let Some(last) = self.made_after(last, latest) {
                self.statement.covers(&account, first, last);
            }
        }
    }

    /// The last day up to `last` that was over when the file was created. A creation time before
    /// one of the lines is made up and is ignored.
    fn made_after(&self, last: NaiveDate, latest: Option<NaiveDate>) -> Option<NaiveDate> {
        let made = self.made.filter(|made| latest.is_none_or(|latest| latest <= made.date()));
        match made {
            // At midnight the day of the timestamp had not begun.
            Some(made) if made.is_before_end_of(last) && !made.is_day() => made.date().pred_opt(),
            Some(made) => Some(last.min(made.date())),
            None => Some(last),
        }
    }

    fn finish(&mut self) -> Result<(), Broken> {
        let Some(transaction) = self.transaction.take() else { return Ok(()) };
        self.aside = None;
        let line = transaction.line;
        self.statement.has_room(line)?;
        if let Some(other) = self.other.filter(|_| self.is_elsewhere) {
            self.statement.skip(line, format!("of {other}"));
            return Ok(());
        }
        if self.is_pending {
            self.statement.skip(line, "pending, not booked");
            return Ok(());
        }
        let known = transaction.id.clone().map(|id| (self.account.clone(), id));
        if let Some(reason) = known.and_then(|key| self.corrected.remove(&key)) {
            self.statement.skip(line, format!("{reason} an earlier line of the file"));
            return Ok(());
        }
        if let Some(id) = &transaction.corrects {
            self.correct(id, &transaction.action);
            if transaction.action == "DELETE" {
                self.statement.skip(line, "deletes another line");
                return Ok(());
            }
        }
        let currency = match &transaction.currency {
            Some(code) => Currency::from_code(&code.to_ascii_uppercase()),
            None => self.currency,
        };
        let Some(currency) = currency else {
            return Err(Broken::at(line, "expected a currency of ISO 4217 in CURDEF"));
        };
        let moment = moment::ofx(&transaction.posted, self.zone).map(Moment::date);
        let date = moment.or_else(|| leading_date(&transaction.posted));
        let amount = written(&transaction.amount, currency);
        match (date, amount) {
            (Some(date), Some(amount)) => {
                if let Some(id) = &transaction.id {
                    let key = (self.account.clone(), id.clone());
                    self.places.entry(key).or_insert(self.statement.entries.len());
                }
                self.has_minus |= transaction.amount.contains('-');
                let has_plus = transaction.amount.contains('+');
                self.statement.entries.push(Entry {
                    account_last4: self.account.clone(),
                    readings: transaction.name_and_memo().into_iter().collect(),
                    text: transaction.text,
                    id: transaction.id,
                    is_out: if has_plus { Some(false) } else { is_out(&transaction.kind) },
                    ..Entry::new(line, date, amount, currency)
                });
            }
            (None, _) => {
                let found = excerpt(&transaction.posted);
                self.statement.fault(line, format!("expected DTPOSTED with a date, found {found}"));
            }
            (_, None) => {
                let found = excerpt(&transaction.amount);
                let reason = format!("expected TRNAMT with an amount in {currency}, found {found}");
                self.statement.fault(line, reason);
            }
        }
        Ok(())
    }

    /// Where no amount of the file has a minus and some types are of outgoing money, takes the sign
    /// of an amount without one from its type.
    fn take_signs_from_types(&mut self) {
        let Statement { entries, faults, .. } = &mut self.statement;
        if self.has_minus || !entries.iter().any(|entry| entry.is_out == Some(true)) {
            return;
        }
        entries.retain_mut(|entry| {
            if entry.is_out == Some(true) {
                entry.amount = Minor(-entry.amount.0);
            } else if entry.is_out.is_none() {
                let reason = "no amount of the file has a minus, and the type of this one does not \
                              say which way the money went";
                faults.push(LeftOut { line: entry.line, reason: reason.to_owned() });
            }
            entry.is_out.is_some()
        });
    }

    /// Withdraws the line that another one replaces or deletes.
    fn correct(&mut self, id: &str, action: &str) {
        let reason = if action == "DELETE" { "deleted by" } else { "replaced by" };
        self.statement.corrections.push((self.account.clone(), id.to_owned()));
        let key = (self.account.clone(), id.to_owned());
        let Some(at) = self.places.remove(&key) else {
            self.corrected.insert(key, reason.to_owned());
            return;
        };
        self.withdrawn.insert(at);
        let line = self.statement.entries[at].line;
        self.statement.skip(line, format!("{reason} a later line of the file"));
    }
}

/// Whether a type of transaction takes money away; `None` for a type that may do either.
fn is_out(kind: &str) -> Option<bool> {
    match kind {
        "DEBIT" | "CHECK" | "PAYMENT" | "FEE" | "SRVCHG" | "ATM" | "POS" | "CASH"
        | "DIRECTDEBIT" | "REPEATPMT" => Some(true),
        "CREDIT" | "DEP" | "DIRECTDEP" | "INT" | "DIV" => Some(false),
        _ => None,
    }
}

impl Transaction {
    fn note(&mut self, element: &str, text: &str, is_aside: bool) {
        match element {
            "TRNTYPE" => self.kind = text.to_ascii_uppercase(),
            "DTPOSTED" => text.clone_into(&mut self.posted),
            "TRNAMT" => text.clone_into(&mut self.amount),
            // The amount is in this currency; ORIGCURRENCY only names its original currency.
            "CURSYM" if self.is_foreign => self.currency = Some(text.to_owned()),
            "FITID" => {
                self.id = Some(text.to_owned());
                self.add(text);
            }
            "CORRECTFITID" => self.corrects = Some(text.to_owned()),
            "CORRECTACTION" => self.action = text.to_ascii_uppercase(),
            _ if is_aside || NO_TEXTS.contains(&element) => {}
            _ => {
                match element {
                    "NAME" => text.clone_into(&mut self.name),
                    "MEMO" => text.clone_into(&mut self.memo),
                    _ => {}
                }
                self.add(text);
            }
        }
    }

    /// The memo continues the name where the name was cut off, even with other elements between
    /// them.
    fn name_and_memo(&self) -> Option<String> {
        let is_whole = self.name.is_empty() || self.memo.is_empty();
        (!is_whole).then(|| format!("{}{}", self.name, self.memo))
    }

    fn add(&mut self, text: &str) {
        self.text.push(' ');
        self.text.push_str(text);
    }
}
