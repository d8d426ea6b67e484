//! The common result of all formats of bank statements.

use chrono::NaiveDate;

use tieout_model::money::{Currency, Minor};
use tieout_model::{LeftOut, Recall, Span};

/// A booked line of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Counted from 1.
    pub line: u64,
    pub account_last4: String,
    pub date: NaiveDate,
    /// Positive for a credit.
    pub amount: Minor,
    pub currency: Currency,
    /// Names, references and remarks, in the order of the file; never kept.
    pub text: String,
    /// Other readings of the text, where its encoding is uncertain.
    pub readings: Vec<String>,
    /// The parts of a collective entry, where they add up to it.
    pub parts: Vec<Part>,
    /// From a report created before the day was over; a final report replaces it.
    pub is_interim: bool,
    /// The bank's own id of the line, for corrections that name it.
    pub id: Option<String>,
    /// Whether its type means outgoing money, where the type says so.
    pub is_out: Option<bool>,
}

impl Entry {
    /// An ordinary line.
    pub(super) fn new(line: u64, date: NaiveDate, amount: Minor, currency: Currency) -> Self {
        Self {
            line,
            account_last4: String::new(),
            date,
            amount,
            currency,
            text: String::new(),
            readings: Vec::new(),
            parts: Vec::new(),
            is_interim: false,
            id: None,
            is_out: None,
        }
    }
}

/// One of the payments behind a collective entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub line: u64,
    /// With the sign of the money on the account; `None` when it is not stated.
    pub amount: Option<Minor>,
    pub text: String,
}

/// Why the whole statement is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    pub line: u64,
    pub reason: String,
    /// The remedy for a text that is intact but of another kind.
    pub remedy: Option<&'static str>,
}

impl Broken {
    pub(super) fn at(line: u64, reason: impl Into<String>) -> Self {
        Self { line, reason: reason.into(), remedy: None }
    }

    /// For a text that is `found` in place of a statement.
    pub(super) fn of_another_kind(found: &str, remedy: &'static str) -> Self {
        Self { line: 1, reason: found.to_owned(), remedy: Some(remedy) }
    }
}

/// An account of a file, with its currency where the format states one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Account {
    pub last4: String,
    pub currency: Option<&'static str>,
}

/// The content of a file as its format states it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Statement {
    pub accounts: Vec<Account>,
    pub entries: Vec<Entry>,
    pub spans: Vec<Span>,
    pub faults: Vec<LeftOut>,
    /// Accounts whose lines do not agree with what the file states of them.
    pub account_faults: Vec<(String, LeftOut)>,
    pub skipped: Vec<LeftOut>,
    pub recalls: Vec<Recall>,
    /// Lines that the file replaces or deletes, by account and the bank's id.
    pub corrections: Vec<(String, String)>,
    /// Words in unmapped columns of a table that change nothing.
    pub notes: Vec<String>,
}

/// A file with more entries does not cover a day or a month, and is not read into memory.
const MAX_ENTRIES: usize = 2_000_000;

impl Statement {
    /// Checks that there is room for the entry on `line`.
    pub(super) fn has_room(&self, line: u64) -> Result<(), Broken> {
        let count = self.entries.len() + self.faults.len() + self.skipped.len();
        if count < MAX_ENTRIES {
            return Ok(());
        }
        Err(Broken::at(line, format!("expected at most {MAX_ENTRIES} entries")))
    }

    pub(super) fn fault(&mut self, line: u64, reason: impl Into<String>) {
        self.faults.push(LeftOut { line, reason: reason.into() });
    }

    pub(super) fn skip(&mut self, line: u64, reason: impl Into<String>) {
        self.skipped.push(LeftOut { line, reason: reason.into() });
    }

    /// Notes that the file covers this account.
    pub(super) fn has_account(&mut self, last4: &str, currency: Option<Currency>) {
        let currency = currency.map(Currency::code);
        let known = self.accounts.iter_mut().find(|one| one.last4 == last4);
        match known {
            Some(known) => known.currency = known.currency.or(currency),
            None => self.accounts.push(Account { last4: last4.to_owned(), currency }),
        }
    }

    /// Notes that the file contains every booked line of these days; ignores a span whose end is
    /// before its beginning.
    pub(super) fn covers(&mut self, account_last4: &str, first: NaiveDate, last: NaiveDate) {
        if first <= last {
            let account_last4 = account_last4.to_owned();
            self.spans.push(Span { account_last4, first, last });
        }
    }

    /// Withdraws the lines of one day of an account, and the spans that include the day.
    pub(super) fn recall(&mut self, account_last4: &str, date: NaiveDate, reason: &str) {
        let is_recalled = |one: &Entry| one.account_last4 == account_last4 && one.date == date;
        let (gone, kept) = std::mem::take(&mut self.entries).into_iter().partition(is_recalled);
        self.entries = kept;
        let gone: Vec<Entry> = gone;
        for entry in gone {
            self.skip(entry.line, reason);
        }
        self.spans.retain(|span| {
            span.account_last4 != account_last4 || !(span.first..=span.last).contains(&date)
        });
        self.recalls.push(Recall { account_last4: account_last4.to_owned(), date });
    }
}

/// The days between two balances that the lines confirm. The opening balance is the closing one of
/// the day before, unless a line or the closing balance has its date; an earlier line does not
/// count. A closing balance dated the banking day after the last line may be that day's opening
/// balance, so it does not confirm its own day.
pub(super) fn days_between(
    opening: NaiveDate,
    closing: NaiveDate,
    lines: impl Iterator<Item = NaiveDate> + Clone,
) -> Option<(NaiveDate, NaiveDate)> {
    let opens_itself = opening == closing || lines.clone().any(|date| date == opening);
    let latest = lines.max();
    let first = if opens_itself { opening } else { opening.succ_opt()? };
    let last = match latest {
        Some(latest) if latest < closing && is_next_banking_day(latest, closing) => latest,
        _ => closing,
    };
    (first <= last).then_some((first, last))
}

/// Checks that only a weekend lies between two days.
fn is_next_banking_day(day: NaiveDate, next: NaiveDate) -> bool {
    use chrono::Datelike as _;
    use chrono::Weekday::{Sat, Sun};
    let between = day.iter_days().skip(1).take_while(|one| *one < next);
    between.take(4).all(|one| matches!(one.weekday(), Sat | Sun))
}

/// The last four letters and digits of an account's number.
pub(super) fn last4(account: &str) -> String {
    let kept: Vec<char> = account.chars().filter(char::is_ascii_alphanumeric).collect();
    kept[kept.len().saturating_sub(4)..].iter().collect()
}

/// As `last4`, for a number with the account's currency at its end (`…123456EUR`).
pub(super) fn last4_and_currency(account: &str) -> (String, Option<Currency>) {
    let number = account.trim();
    let cut = number.len().checked_sub(3).filter(|cut| number.is_char_boundary(*cut));
    let currency = cut.and_then(|cut| Currency::from_code(&number[cut..]));
    match (cut, currency) {
        (Some(cut), Some(currency)) => {
            let before = number[..cut].trim_end_matches(|one: char| !one.is_ascii_alphanumeric());
            if before.ends_with(|one: char| one.is_ascii_digit()) {
                (last4(before), Some(currency))
            } else {
                (last4(number), None)
            }
        }
        _ => (last4(number), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn covers_the_days_that_the_lines_bear_out() {
        let cases: [(&str, &str, &[&str], &str); 8] = [
            ("2026-11-03", "2026-11-04", &["2026-11-04"], "2026-11-04..2026-11-04"),
            ("2026-11-04", "2026-11-04", &[], "2026-11-04..2026-11-04"),
            ("2026-11-03", "2026-11-04", &[], "2026-11-04..2026-11-04"),
            ("2026-11-03", "2026-11-04", &["2026-10-25"], "2026-11-04..2026-11-04"),
            // The closing balance is dated the morning after.
            ("2026-11-03", "2026-11-04", &["2026-11-03"], "2026-11-03..2026-11-03"),
            ("2026-11-05", "2026-11-09", &["2026-11-06"], "2026-11-06..2026-11-06"),
            ("2026-10-30", "2026-11-30", &["2026-11-02", "2026-11-18"], "2026-10-31..2026-11-30"),
            ("2026-11-02", "2026-11-06", &["2026-11-02", "2026-11-06"], "2026-11-02..2026-11-06"),
        ];
        for (opening, closing, lines, expected) in cases {
            let lines = lines.iter().map(|line| day(line));
            let (first, last) = days_between(day(opening), day(closing), lines).unwrap();
            assert_eq!(format!("{first}..{last}"), expected, "{opening} {closing}");
        }
    }

    #[test]
    fn takes_a_currency_off_the_end_of_an_account() {
        let cases = [
            ("DE00123456780000123456EUR", "3456", Some("EUR")),
            ("10020030/1234567 USD", "4567", Some("USD")),
            ("DE00123456780000123456", "3456", None),
            ("MT84MALT011000012345MTLCAST001S", "001S", None),
            ("", "", None),
        ];
        for (account, expected, currency) in cases {
            let found = last4_and_currency(account);
            assert_eq!((found.0.as_str(), found.1.map(Currency::code)), (expected, currency));
        }
    }
}
