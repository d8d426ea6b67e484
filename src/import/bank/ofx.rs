//! OFX, in both of its spellings: SGML without end tags, and XML. It states no sum to check.

use chrono::NaiveDate;

use super::number::{leading_date, major};
use super::statement::{Broken, Entry, Statement, last4};
use crate::money::Currency;

/// A tag with what stands behind it, up to the next one.
struct Token<'a> {
    line: u64,
    /// With a slash in front for an end tag.
    tag: &'a str,
    value: &'a str,
}

/// Reads a whole file.
pub(super) fn read(text: &str) -> Result<Statement, Broken> {
    let mut reader = Reader::default();
    for token in tokens(text) {
        reader.take(&token)?;
    }
    if reader.is_closed {
        return Ok(reader.statement);
    }
    let line = text.lines().count() as u64;
    Err(Broken::at(line, "expected the end tag </OFX>, found the end of the file"))
}

fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut line = 1;
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find('<')?;
        line += newlines(&rest[..start]);
        let length = rest[start..].find('>')?;
        let tag = &rest[start + 1..start + length];
        let after = &rest[start + length + 1..];
        let end = after.find('<').unwrap_or(after.len());
        let token = Token { line, tag, value: after[..end].trim() };
        line += newlines(&rest[start..=start + length]);
        rest = after;
        Some(token)
    })
}

fn newlines(text: &str) -> u64 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u64
}

#[derive(Default)]
struct Reader {
    statement: Statement,
    account: String,
    currency: Option<Currency>,
    first: Option<NaiveDate>,
    last: Option<NaiveDate>,
    transaction: Option<Transaction>,
    is_closed: bool,
}

#[derive(Default)]
struct Transaction {
    line: u64,
    date: Option<NaiveDate>,
    amount: String,
    currency: Option<Currency>,
    text: String,
}

impl Reader {
    fn take(&mut self, token: &Token<'_>) -> Result<(), Broken> {
        let value = token.value;
        match token.tag {
            "CURDEF" => self.currency = Currency::from_code(value),
            "ACCTID" if self.transaction.is_none() => self.account = last4(value),
            "DTSTART" => self.first = leading_date(value),
            "DTEND" => self.last = last_whole_day(value),
            "STMTTRN" => {
                self.transaction = Some(Transaction { line: token.line, ..Transaction::default() });
            }
            "/STMTTRN" => self.finish(token.line)?,
            "/BANKTRANLIST" => {
                if let (Some(first), Some(last)) = (self.first.take(), self.last.take()) {
                    self.statement.covers(&self.account, first, last);
                }
            }
            "/OFX" => self.is_closed = true,
            tag => {
                if let Some(transaction) = &mut self.transaction {
                    transaction.note(tag, value);
                }
            }
        }
        Ok(())
    }

    fn finish(&mut self, line: u64) -> Result<(), Broken> {
        let Some(transaction) = self.transaction.take() else {
            return Err(Broken::at(line, "expected <STMTTRN> before its end tag"));
        };
        let Some(currency) = transaction.currency.or(self.currency) else {
            return Err(Broken::at(line, "expected a currency of ISO 4217 in CURDEF"));
        };
        let amount = major(&transaction.amount, &['.', ','], currency);
        match (transaction.date, amount) {
            (Some(date), Some(amount)) => self.statement.entries.push(Entry {
                line: transaction.line,
                account_last4: self.account.clone(),
                date,
                amount,
                currency,
                text: transaction.text,
            }),
            (None, _) => {
                self.statement.fault(transaction.line, "expected DTPOSTED with a date");
            }
            (_, None) => {
                let reason = format!("expected TRNAMT with an amount in {currency}");
                self.statement.fault(transaction.line, reason);
            }
        }
        Ok(())
    }
}

impl Transaction {
    fn note(&mut self, tag: &str, value: &str) {
        match tag {
            "DTPOSTED" => self.date = leading_date(value),
            "TRNAMT" => value.clone_into(&mut self.amount),
            "CURSYM" => self.currency = Currency::from_code(value),
            "NAME" | "MEMO" | "PAYEEID" | "FITID" | "REFNUM" | "CHECKNUM" => {
                self.text.push(' ');
                self.text.push_str(&unescaped(value));
            }
            _ => {}
        }
    }
}

/// The last day that is complete when the list ends at this moment: a date alone, noon (which
/// stands for a date alone) and the last second of a day end with it, anything else before it.
fn last_whole_day(value: &str) -> Option<NaiveDate> {
    let date = leading_date(value)?;
    let time: String =
        value.get(8..).unwrap_or("").chars().take_while(char::is_ascii_digit).collect();
    let is_whole = time.is_empty() || time.starts_with("1200") || time.starts_with("2359");
    if is_whole { Some(date) } else { date.pred_opt() }
}

fn unescaped(value: &str) -> String {
    value.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ").replace("&amp;", "&")
}
