//! The totals that a statement states of its entries: of all, of credits and debits, and of the
//! entries of one code (`BkTxCd`).

use crate::bank::number::major;
use crate::bank::statement::Broken;
use tieout_model::money::{Currency, Minor};

/// The entries that a summary covers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    All,
    Credits,
    Debits,
}

/// The number of entries and their sum, without signs.
#[derive(Clone, Default)]
pub(super) struct Summary {
    pub line: u64,
    pub count: Option<u64>,
    pub sum: String,
    /// Credits less debits, without the sign.
    pub net: String,
    /// Whether the debits exceed the credits.
    pub is_debit: bool,
    /// Of a total for one code: the code, and whether it is of entries to come.
    pub code: Code,
    pub is_forecast: bool,
}

impl Summary {
    pub(super) fn level(name: &str) -> Level {
        match name {
            "TtlCdtNtries" => Level::Credits,
            "TtlDbtNtries" => Level::Debits,
            _ => Level::All,
        }
    }
}

/// A code: domain, family, subfamily, and the bank's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Code([String; 4]);

impl Code {
    /// Notes an element below `BkTxCd`.
    pub(super) fn note(&mut self, rest: &[&str], value: &str) {
        let place = match rest {
            ["Domn", "Cd"] => 0,
            ["Domn", "Fmly", "Cd"] => 1,
            ["Domn", "Fmly", "SubFmlyCd"] => 2,
            ["Prtry", "Cd"] => 3,
            _ => return,
        };
        value.clone_into(&mut self.0[place]);
    }

    /// Whether an entry of the code `other` counts in a total of this one.
    fn holds(&self, other: &Self) -> bool {
        let mut parts = self.0.iter().zip(&other.0).filter(|(own, _)| !own.is_empty());
        self.0.iter().any(|part| !part.is_empty()) && parts.all(|(own, other)| own == other)
    }
}

/// The total of one code, with the entries found so far.
#[derive(Clone, Default)]
pub(super) struct OfCode {
    summary: Summary,
    /// Booked entries, and entries of every status.
    booked: u64,
    all: u64,
    /// Of the booked ones, without signs; `None` when they are in several currencies.
    sum: Option<Minor>,
    currency: Option<Currency>,
}

impl OfCode {
    pub(super) fn of(summary: Summary) -> Self {
        Self { summary, sum: Some(Minor(0)), ..Self::default() }
    }

    /// Counts an entry of that code; `booked` is its amount where it is booked.
    pub(super) fn count(&mut self, code: &Code, booked: Option<(Minor, Currency)>) {
        if self.summary.is_forecast || !self.summary.code.holds(code) {
            return;
        }
        self.all += 1;
        let Some((amount, currency)) = booked else { return };
        self.booked += 1;
        let is_same = self.currency.is_none_or(|known| known == currency);
        self.currency = Some(currency);
        self.sum = self.sum.filter(|_| is_same).and_then(|sum| {
            let sum = sum.0.checked_add(amount.0.abs())?;
            Some(Minor(sum))
        });
    }

    /// Compares the total with the entries. Without any the entries bear other codes.
    pub(super) fn check(&self) -> Result<(), Broken> {
        let (line, stated) = (self.summary.line, self.summary.count);
        if self.all == 0 {
            return Ok(());
        }
        if let Some(stated) = stated.filter(|stated| ![self.booked, self.all].contains(stated)) {
            let found = self.booked;
            let reason = format!("the summary states {stated} entries of a code, found {found}");
            return Err(Broken::at(line, reason));
        }
        let Some(currency) = self.currency.filter(|_| self.all == self.booked) else {
            return Ok(());
        };
        let stated = major(&self.summary.sum, &['.'], currency);
        match (stated, self.sum) {
            (Some(stated), Some(found)) if Minor(stated.0.abs()) != found => {
                let (stated, found) = (currency.format(stated), currency.format(found));
                let reason = "the summary states entries of a code of";
                Err(Broken::at(line, format!("{reason} {stated} {currency}, found {found}")))
            }
            _ => Ok(()),
        }
    }
}
