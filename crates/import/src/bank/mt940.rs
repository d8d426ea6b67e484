//! MT940, the customer statement of SWIFT: fields `:61:` and `:86:` between two balances, with
//! which they must agree. Tolerates additions of banks around it. A text counts as a field only
//! where the order of the fields allows it.

use chrono::{Datelike, NaiveDate};

use super::information;
use super::number::{major, short_date};
use super::repeats::Repeats;
use super::statement::{Broken, Entry, Statement, days_between, last4_and_currency};
use tieout_model::money::{Currency, Minor};

/// A field with its lines.
struct Field {
    line: u64,
    tag: String,
    value: String,
}

/// Checks whether a text is MT940: it has an opening balance.
pub(super) fn is_mt940(text: &str) -> bool {
    has_tag(text, |tag| tag.starts_with("60"))
}

/// Checks whether it is the notice of one credit or debit (MT900, MT910), which has only an amount.
pub(super) fn is_notice(text: &str) -> bool {
    has_tag(text, |tag| tag == "32A")
}

/// Checks whether it is the intraday report, which has a floor limit or sums in place of balances.
pub(super) fn is_mt942(text: &str) -> bool {
    has_tag(text, |tag| tag == "34F" || tag.starts_with("90"))
}

fn has_tag(text: &str, is_wanted: impl Fn(&str) -> bool) -> bool {
    lines_of(text).any(|line| tagged(line).is_some_and(|(tag, _)| is_wanted(&tag)))
}

/// Checks whether it is a balance report (MT941), which states the sums of movements and lists
/// none.
pub(super) fn is_mt941(text: &str) -> bool {
    let is_named = text.contains("{2:O941") || text.contains("{2:I941");
    is_named || (has_tag(text, |tag| tag.starts_with("90")) && !has_tag(text, |tag| tag == "61"))
}

/// Reads a whole file, which may contain several statements.
pub(super) fn read(text: &str) -> Result<Statement, Broken> {
    let mut reader = Reader::default();
    fields(text, |field| reader.take(&field))?;
    if let Some(opening) = &reader.opening {
        return Err(Broken::at(opening.line, "expected a closing balance (62), found none"));
    }
    if let Some(line) = reader.begun {
        return Err(Broken::at(
            line,
            "expected an opening balance (60), found the end of the file",
        ));
    }
    Ok(reader.statement)
}

/// The lines of a text; `@@` may replace a line end.
fn lines_of(text: &str) -> impl Iterator<Item = &str> + Clone {
    let separator = if text.contains("@@:") { "@@" } else { "\n" };
    text.split(separator).flat_map(str::lines)
}

/// A line as a field: its tag and the rest.
fn tagged(line: &str) -> Option<(String, &str)> {
    // A SWIFT header precedes the first field, on the same line or its own.
    let line = line.rsplit_once("{4:").map_or(line, |(_, rest)| rest).trim();
    if let Some(value) = line_value(line) {
        return Some(("61".to_owned(), value));
    }
    let (tag, value) = line.strip_prefix(':')?.split_once(':')?;
    let is_tag = (2..=3).contains(&tag.len())
        && tag.starts_with(|first: char| first.is_ascii_digit())
        && tag.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_tag.then(|| (tag.to_ascii_uppercase(), value))
}

/// The value of a line of the statement (61), whatever marks stand around its tag: blanks, dashes,
/// a star, or no colon before it.
fn line_value(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(is_mark).strip_prefix("61")?;
    let value = rest.trim_start_matches(is_mark);
    let is_tagged = rest[..rest.len() - value.len()].contains(':');
    let behind_dates = value.trim_start_matches(|one: char| one.is_ascii_digit()).trim_start();
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    let is_dated = matches!(digits, 6 | 10);
    let is_marked = MARKS.iter().any(|(mark, _)| starts_with(behind_dates, mark));
    (is_tagged && is_dated && is_marked).then_some(value)
}

fn is_mark(one: char) -> bool {
    !one.is_alphanumeric()
}

fn starts_with(text: &str, mark: &str) -> bool {
    text.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark))
}

/// The marks of an amount with its sign. A reversal of a credit takes money away; an expected
/// entry (E) is booked like any other.
const MARKS: [(&str, i64); 6] = [("RC", -1), ("RD", 1), ("EC", 1), ("ED", -1), ("C", 1), ("D", -1)];

/// The position of a line in a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the opening balance, or after the end of a statement.
    Outside,
    /// Between the balances: other text there belongs to the field above.
    Inside,
    /// After the closing balance.
    Closed,
}

/// Passes the fields of a text to `take`, one after the other.
fn fields(text: &str, mut take: impl FnMut(Field) -> Result<(), Broken>) -> Result<(), Broken> {
    let mut last: Option<Field> = None;
    let mut lines = lines_of(text);
    let mut place = Place::Outside;
    for number in 1.. {
        let Some(line) = lines.next() else { break };
        let field = tagged(line);
        let is_field = match (&field, place) {
            (None, _) => false,
            (Some((tag, value)), Place::Inside) => match tag.as_str() {
                "61" => {
                    let value = value.trim_start_matches(is_mark);
                    value.len() >= 6 && value.bytes().take(6).all(|byte| byte.is_ascii_digit())
                }
                "86" => true,
                "90C" | "90D" => sum_stated(value).is_some(),
                "60F" | "60M" | "62F" | "62M" => begins_balance(value),
                "20" if begins_statement(lines.clone()) => {
                    return Err(Broken::at(number, "expected a closing balance (62) first"));
                }
                _ => false,
            },
            (Some(_), _) => true,
        };
        if let Some((tag, value)) = field.filter(|_| is_field) {
            place = match tag.as_str() {
                "60F" | "60M" | "61" | "90C" | "90D" => Place::Inside,
                "62F" | "62M" => Place::Closed,
                _ => place,
            };
            let value = value.to_owned();
            last.replace(Field { line: number, tag, value }).map_or(Ok(()), &mut take)?;
        } else if place == Place::Inside {
            if let Some(last) = &mut last {
                last.value.push('\n');
                last.value.push_str(line);
            }
        } else if let Some(last) = last.as_mut().filter(|last| last.tag == "25") {
            // The field of the account may continue.
            let more = line.trim();
            if !more.starts_with(['-', '{']) {
                last.value.push_str(more);
            }
        }
    }
    last.map_or(Ok(()), take)
}

/// Checks whether a value begins as a balance does, with its mark and date.
fn begins_balance(value: &str) -> bool {
    let mut bytes = value.bytes().filter(|byte| *byte != b' ');
    let is_marked =
        bytes.next().is_some_and(|mark| matches!(mark.to_ascii_uppercase(), b'C' | b'D'));
    is_marked && bytes.take(6).filter(u8::is_ascii_digit).count() == 6
}

/// Checks whether the lines after a `:20:` begin a statement; otherwise `:20:` was part of a time
/// of day.
fn begins_statement<'a>(mut after: impl Iterator<Item = &'a str>) -> bool {
    let next = after.find(|line| !line.trim().is_empty());
    let tag = next.and_then(tagged).map(|(tag, _)| tag);
    tag.is_some_and(|tag| matches!(tag.as_str(), "21" | "25" | "25P" | "28" | "28C"))
}

#[derive(Default)]
struct Reader {
    statement: Statement,
    account: String,
    /// The number of the statement (28).
    number: String,
    repeats: Repeats,
    opening: Option<Opening>,
    /// The line of an account (25) whose opening balance is still to come.
    begun: Option<u64>,
    /// A statement that continues over several messages.
    chain: Option<Chain>,
    /// Whether the last field was a line of the statement or its text.
    is_after_line: bool,
}

struct Opening {
    line: u64,
    /// The field without its line, and the index of the first entry below it.
    head: String,
    first_entry: usize,
    date: NaiveDate,
    currency: Currency,
    balance: i64,
    /// The entries that reverse others.
    reversals: Vec<usize>,
    /// The stated sums of debits and credits: line, side, number, and currency with sum.
    stated: Vec<(u64, bool, u64, String)>,
}

/// A statement from its first opening balance on.
#[derive(Clone)]
struct Chain {
    account: String,
    began: NaiveDate,
    /// The index of its first line.
    first_entry: usize,
    /// The closing balance of the last message.
    balance: i64,
    currency: Currency,
}

impl Reader {
    fn take(&mut self, field: &Field) -> Result<(), Broken> {
        let was_line = std::mem::take(&mut self.is_after_line);
        match field.tag.as_str() {
            "25" | "25P" => {
                let (account, currency) =
                    last4_and_currency(field.value.lines().next().unwrap_or(""));
                self.statement.has_account(&account, currency);
                self.account = account;
                self.begun = Some(field.line);
            }
            "28" | "28C" => field.value.trim().clone_into(&mut self.number),
            "60F" | "60M" => self.open(field)?,
            "61" => self.is_after_line = self.line(field)?,
            "86" if was_line => {
                if let Some(entry) = self.statement.entries.last_mut() {
                    entry.text.push(' ');
                    entry.text.push_str(&information::decoded(&field.value));
                }
                self.is_after_line = true;
            }
            "62F" | "62M" => self.close(field)?,
            "90C" | "90D" => {
                let is_debit = field.tag == "90D";
                if let (Some(opening), Some((count, sum))) =
                    (&mut self.opening, sum_stated(&field.value))
                {
                    opening.stated.push((field.line, is_debit, count, sum));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, field: &Field) -> Result<(), Broken> {
        if self.opening.is_some() {
            return Err(Broken::at(field.line, "expected a closing balance (62) first"));
        }
        self.begun = None;
        let (date, currency, balance) = balance(field)?;
        let first_entry = self.statement.entries.len();
        let account = self.account.clone();
        if field.tag == "60F" {
            self.chain = Some(Chain { account, began: date, first_entry, balance, currency });
        } else {
            // A page that does not continue from the last one belongs to another statement.
            self.chain = self.chain.take().filter(|chain| {
                chain.account == account && (chain.balance, chain.currency) == (balance, currency)
            });
        }
        let head = format!("{}\n{}\n{}{}", self.account, self.number, field.tag, field.value);
        self.opening = Some(Opening {
            line: field.line,
            head,
            first_entry,
            date,
            currency,
            balance,
            reversals: Vec::new(),
            stated: Vec::new(),
        });
        let account = self.account.clone();
        self.statement.has_account(&account, Some(currency));
        Ok(())
    }

    /// Reads a line of the statement; returns whether a text may follow it.
    fn line(&mut self, field: &Field) -> Result<bool, Broken> {
        self.statement.has_room(field.line)?;
        let Some(opening) = &mut self.opening else {
            return Err(Broken::at(field.line, "expected an opening balance (60) before a line"));
        };
        let value = field.value.trim_start_matches(is_mark);
        let read = parse_line(value, opening.currency).ok_or_else(|| {
            // The amount may be followed by an account or a name.
            let found = value.lines().next().unwrap_or("").get(..30).unwrap_or(value);
            let reason = "expected a line (61) such as 2611041104C12,34, found";
            Broken::at(field.line, format!("{reason} \"{}\"", found.trim_end()))
        })?;
        let first = value.lines().next().unwrap_or("");
        let id = first.split_once("//").map(|(_, id)| id.trim().to_owned());
        opening.balance = opening
            .balance
            .checked_add(read.amount.0)
            .ok_or_else(|| Broken::at(field.line, "the sum of the amounts overflows"))?;
        if read.is_reversal {
            opening.reversals.push(self.statement.entries.len());
        }
        self.statement.entries.push(Entry {
            account_last4: self.account.clone(),
            text: read.text,
            id: id.filter(|id| !id.is_empty()),
            ..Entry::new(field.line, read.date, read.amount, opening.currency)
        });
        Ok(true)
    }

    /// Compares the sums that a message states with its lines.
    fn check_stated(&self, opening: &Opening) -> Result<(), Broken> {
        let lines = self.statement.entries.get(opening.first_entry..).unwrap_or_default();
        for (line, is_debit, count, sum) in &opening.stated {
            let of_side = lines.iter().filter(|entry| (entry.amount.0 < 0) == *is_debit);
            let (found, total) = of_side.fold((0_u64, 0_i64), |(count, sum), one| {
                (count + 1, sum.saturating_add(one.amount.0.abs()))
            });
            let total = Minor(total);
            let amount = sum.get(3..).and_then(|sum| major(sum, &[',', '.'], opening.currency));
            let side = if *is_debit { "debits" } else { "credits" };
            if *count != found || amount.is_some_and(|amount| amount != total) {
                let total = opening.currency.format(total);
                let reason = format!(
                    "the statement states {count} {side} ({sum}), found {found} of {total}"
                );
                return Err(Broken::at(*line, reason));
            }
        }
        Ok(())
    }

    /// Turns the reversals where the closing balance proves that they are marked with the direction
    /// of what they reverse; whether it does.
    fn turn(&mut self, opening: &Opening, closing: i64) -> bool {
        let entries = &mut self.statement.entries;
        let amounts = opening.reversals.iter().filter_map(|at| entries.get(*at));
        let sum: i128 = amounts.map(|entry| i128::from(entry.amount.0)).sum();
        let is_proven = sum != 0 && i128::from(opening.balance) - 2 * sum == i128::from(closing);
        for at in opening.reversals.iter().filter(|_| is_proven) {
            let amount = &mut entries[*at].amount;
            *amount = Minor(-amount.0);
        }
        is_proven
    }

    fn close(&mut self, field: &Field) -> Result<(), Broken> {
        let Some(opening) = self.opening.take() else {
            return Err(Broken::at(field.line, "expected an opening balance (60) first"));
        };
        let (date, currency, balance) = balance(field)?;
        let is_turned = currency == opening.currency && self.turn(&opening, balance);
        if !is_turned && (balance, currency) != (opening.balance, opening.currency) {
            let shown = |balance: i64, currency: Currency| {
                format!("{} {currency}", currency.format(Minor(balance)))
            };
            let expected = shown(opening.balance, opening.currency);
            let found = shown(balance, currency);
            let reason = format!("expected a closing balance of {expected}, found {found}");
            return Err(Broken::at(field.line, reason));
        }
        if date < opening.date {
            let (from, to) = (opening.date, date);
            let reason =
                format!("the closing balance is of {to}, before the opening one of {from}");
            return Err(Broken::at(field.line, reason));
        }
        self.check_stated(&opening)?;
        let head = format!("{}\n{}{}", opening.head, field.tag, field.value);
        self.repeats.end(head, opening.first_entry, &mut self.statement);
        let Some(chain) = &mut self.chain else { return Ok(()) };
        chain.balance = balance;
        // A statement that continues in the next message is complete with its last one.
        if field.tag == "62F" {
            let lines = self.statement.entries.get(chain.first_entry..).unwrap_or_default();
            let lines = lines.iter().map(|one| one.date);
            let days = days_between(chain.began, date, lines);
            let account = chain.account.clone();
            if let Some((first, last)) = days {
                self.statement.covers(&account, first, last);
            }
            self.chain = None;
        }
        Ok(())
    }
}

/// `2EUR1234,56`: the number of lines, their currency and their sum.
fn sum_stated(value: &str) -> Option<(u64, String)> {
    let value = value.lines().next()?.trim();
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    let (count, sum) = (value.get(..digits)?.parse().ok()?, value.get(digits..)?);
    Currency::from_code(sum.get(..3)?)?;
    Some((count, sum.to_owned()))
}

/// `C261120EUR1234,56`: date, currency and signed balance.
fn balance(field: &Field) -> Result<(NaiveDate, Currency, i64), Broken> {
    let parse = || {
        let value: String = field.value.lines().next()?.split_whitespace().collect();
        let is_debit = match value.get(..1)? {
            "C" => false,
            "D" => true,
            _ => return None,
        };
        let date = short_date(value.get(1..7)?)?;
        let currency = Currency::from_code(value.get(7..10)?)?;
        let amount = major(value.get(10..)?, &[',', '.'], currency)?.0;
        Some((date, currency, if is_debit { -amount } else { amount }))
    };
    parse().ok_or_else(|| {
        let found = field.value.lines().next().unwrap_or("");
        let reason = format!("expected a balance such as C261120EUR12,34, found \"{found}\"");
        Broken::at(field.line, reason)
    })
}

/// A line of the statement.
struct Line {
    date: NaiveDate,
    amount: Minor,
    is_reversal: bool,
    text: String,
}

/// `2611201120CR12,34NTRFREF//BANKREF`: booking date, signed amount, and the rest as text.
fn parse_line(value: &str, currency: Currency) -> Option<Line> {
    let value_date = value.get(..6)?;
    let mut rest = value.get(6..)?;
    let entry = rest.get(..4).filter(|four| four.bytes().all(|b| b.is_ascii_digit()));
    rest = rest.get(entry.map_or(0, str::len)..)?.trim_start();
    let date = booking_date(value_date, entry)?;
    let (mark, sign) = MARKS.into_iter().find(|(mark, _)| starts_with(rest, mark))?;
    rest = rest.get(mark.len()..)?.trim_start();
    // The third letter of the currency may precede the amount.
    rest = rest.strip_prefix(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(rest);
    let rest = rest.trim_start();
    let is_figure = |c: char| c.is_ascii_digit() || c == ',' || c == '.';
    let length = rest.find(|c: char| !is_figure(c)).unwrap_or(rest.len());
    let amount = major(rest.get(..length)?, &[',', '.'], currency)?;
    let text = information::decoded(rest.get(length..)?);
    let is_reversal = mark.starts_with('R');
    Some(Line { date, amount: Minor(sign * amount.0), is_reversal, text })
}

/// The entry date where there is one. Banks that count months of thirty days write a value date of
/// 30 February; without an entry date it becomes the last day of the month.
fn booking_date(value_date: &str, entry: Option<&str>) -> Option<NaiveDate> {
    let valued = short_date(value_date);
    let year = 2000 + value_date.get(..2)?.parse::<i32>().ok()?;
    // The digits must be a date in some month of thirty days or more.
    let near = valued.or_else(|| {
        let (month, day) = (value_date.get(2..4)?.parse().ok()?, value_date.get(4..)?);
        let is_thirtieth = matches!(day, "29" | "30" | "31");
        let last = (28..=30).rev().find_map(|day| NaiveDate::from_ymd_opt(year, month, day));
        last.filter(|_| is_thirtieth)
    })?;
    entry.and_then(|entry| booked(near, entry)).or(Some(near))
}

/// The booking date, in the year that brings it nearest to the value date.
fn booked(value_date: NaiveDate, entry: &str) -> Option<NaiveDate> {
    let (month, day) = (entry.get(..2)?.parse().ok()?, entry.get(2..)?.parse().ok()?);
    (value_date.year() - 1..=value_date.year() + 1)
        .filter_map(|year| NaiveDate::from_ymd_opt(year, month, day))
        .min_by_key(|date| (*date - value_date).num_days().abs())
}
