//! MT940, the customer statement of SWIFT: fields `:61:` and `:86:` between two balances, which
//! must agree with them. Tolerates what banks add around it.

use chrono::{Datelike, NaiveDate};

use super::number::{major, short_date};
use super::statement::{Broken, Entry, Statement, last4};
use crate::money::{Currency, Minor};

/// A field with its lines.
struct Field<'a> {
    line: u64,
    tag: &'a str,
    value: String,
}

/// Reads a whole file, which may hold several statements.
pub(super) fn read(text: &str) -> Result<Statement, Broken> {
    let mut reader = Reader::default();
    for field in fields(text) {
        reader.take(&field)?;
    }
    if let Some(opening) = &reader.opening {
        return Err(Broken::at(opening.line, "expected a closing balance (62), found none"));
    }
    Ok(reader.statement)
}

fn fields(text: &str) -> Vec<Field<'_>> {
    let mut fields: Vec<Field<'_>> = Vec::new();
    let mut is_between = true;
    for (number, line) in (1..).zip(text.lines()) {
        // A SWIFT header stands before the first field, on the same line or its own.
        let line = line.rsplit_once("{4:").map_or(line, |(_, rest)| rest).trim_end();
        let tagged = line.strip_prefix(':').and_then(|rest| rest.split_once(':'));
        let is_tag = |tag: &str| {
            (2..=3).contains(&tag.len()) && tag.starts_with(|first: char| first.is_ascii_digit())
        };
        match tagged.filter(|(tag, _)| is_tag(tag)) {
            Some((tag, value)) => {
                is_between = false;
                fields.push(Field { line: number, tag, value: value.to_owned() });
            }
            None if line == "-" || line.starts_with("-}") => is_between = true,
            None if is_between => {}
            None => {
                if let Some(last) = fields.last_mut() {
                    last.value.push('\n');
                    last.value.push_str(line);
                }
            }
        }
    }
    fields
}

#[derive(Default)]
struct Reader {
    statement: Statement,
    account: String,
    opening: Option<Opening>,
    /// The first balance of a statement that goes on over several messages.
    began: Option<NaiveDate>,
    /// Whether the last field was a line of the statement, so that `:86:` is about it.
    is_after_line: bool,
}

struct Opening {
    line: u64,
    date: NaiveDate,
    currency: Currency,
    balance: i64,
}

impl Reader {
    fn take(&mut self, field: &Field<'_>) -> Result<(), Broken> {
        let was_line = std::mem::take(&mut self.is_after_line);
        match field.tag {
            "25" | "25P" => self.account = last4(field.value.lines().next().unwrap_or("")),
            "60F" | "60M" => self.open(field)?,
            "61" => {
                self.line(field)?;
                self.is_after_line = true;
            }
            "86" if was_line => {
                if let Some(entry) = self.statement.entries.last_mut() {
                    entry.text.push(' ');
                    entry.text.push_str(&field.value);
                }
            }
            "62F" | "62M" => self.close(field)?,
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, field: &Field<'_>) -> Result<(), Broken> {
        if self.opening.is_some() {
            return Err(Broken::at(field.line, "expected a closing balance (62) first"));
        }
        let (date, currency, balance) = balance(field)?;
        if field.tag == "60F" {
            self.began = Some(date);
        }
        self.opening = Some(Opening { line: field.line, date, currency, balance });
        Ok(())
    }

    fn line(&mut self, field: &Field<'_>) -> Result<(), Broken> {
        let Some(opening) = &mut self.opening else {
            return Err(Broken::at(field.line, "expected an opening balance (60) before a line"));
        };
        let parsed = parse_line(&field.value, opening.currency)
            .ok_or_else(|| Broken::at(field.line, "expected a statement line of MT940 (61)"))?;
        let (date, amount, text) = parsed;
        opening.balance = opening
            .balance
            .checked_add(amount.0)
            .ok_or_else(|| Broken::at(field.line, "the sum of the amounts overflows"))?;
        self.statement.entries.push(Entry {
            line: field.line,
            account_last4: self.account.clone(),
            date,
            amount,
            currency: opening.currency,
            text,
        });
        Ok(())
    }

    fn close(&mut self, field: &Field<'_>) -> Result<(), Broken> {
        let Some(opening) = self.opening.take() else {
            return Err(Broken::at(field.line, "expected an opening balance (60) first"));
        };
        let (date, currency, balance) = balance(field)?;
        if balance != opening.balance || currency != opening.currency || date < opening.date {
            let expected = currency.format(Minor(opening.balance));
            let found = currency.format(Minor(balance));
            let reason = format!("expected a closing balance of {expected}, found {found}");
            return Err(Broken::at(field.line, reason));
        }
        // A statement that goes on in the next message is complete with its last one.
        if field.tag == "62F"
            && let Some(began) = self.began.take()
        {
            self.statement.covers_between(&self.account, began, date);
        }
        Ok(())
    }
}

/// `C261120EUR1234,56`: date, currency and signed balance.
fn balance(field: &Field<'_>) -> Result<(NaiveDate, Currency, i64), Broken> {
    let parse = || {
        let value = field.value.trim();
        let is_debit = match value.get(..1)? {
            "C" => false,
            "D" => true,
            _ => return None,
        };
        let date = short_date(value.get(1..7)?)?;
        let currency = Currency::from_code(value.get(7..10)?)?;
        let amount = major(value.get(10..)?, &[','], currency)?.0;
        Some((date, currency, if is_debit { -amount } else { amount }))
    };
    parse().ok_or_else(|| Broken::at(field.line, "expected a balance such as C261120EUR12,34"))
}

/// `2611201120CR12,34NTRFREF//BANKREF`: booking date, signed amount, and the rest as text.
fn parse_line(value: &str, currency: Currency) -> Option<(NaiveDate, Minor, String)> {
    let value_date = short_date(value.get(..6)?)?;
    let mut rest = value.get(6..)?;
    let mut date = value_date;
    if let Some(entry) = rest.get(..4).filter(|four| four.bytes().all(|b| b.is_ascii_digit())) {
        date = booked(value_date, entry)?;
        rest = rest.get(4..)?;
    }
    // A reversal of a credit takes money away; an expected one (E) is booked like any other.
    let marks = [("RC", -1), ("RD", 1), ("EC", 1), ("ED", -1), ("C", 1), ("D", -1)];
    let (mark, sign) = marks.into_iter().find(|(mark, _)| rest.starts_with(mark))?;
    rest = rest.get(mark.len()..)?;
    // The third letter of the currency may stand before the amount.
    rest = rest.strip_prefix(|letter: char| letter.is_ascii_uppercase()).unwrap_or(rest);
    let length = rest.find(|c: char| !c.is_ascii_digit() && c != ',').unwrap_or(rest.len());
    let amount = major(rest.get(..length)?, &[','], currency)?;
    let text = rest.get(length..)?.to_owned();
    Some((date, Minor(sign * amount.0), text))
}

/// The booking date, whose year is the one that brings it nearest to the value date.
fn booked(value_date: NaiveDate, entry: &str) -> Option<NaiveDate> {
    let (month, day) = (entry.get(..2)?.parse().ok()?, entry.get(2..)?.parse().ok()?);
    (value_date.year() - 1..=value_date.year() + 1)
        .filter_map(|year| NaiveDate::from_ymd_opt(year, month, day))
        .min_by_key(|date| (*date - value_date).num_days().abs())
}
