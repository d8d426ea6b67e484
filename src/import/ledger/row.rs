//! One row of a ledger file becomes a record, a footer, or a fault with its reason.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

use chrono::format::{Item, Parsed, StrftimeItems};
use chrono::{Datelike, NaiveDate};
use csv::StringRecord;

use super::amount::{self, Separators};
use super::columns::{AmountColumns, Columns};
use super::excerpt::excerpt;
use crate::config::{LedgerSettings, Merchant};
use crate::model::{LedgerKind, LedgerRecord, LedgerStatus};
use crate::money::{Currency, Minor};

/// A date outside these years is a date read with the wrong format.
const PLAUSIBLE_YEARS: std::ops::RangeInclusive<i32> = 1970..=2199;

/// Different dates that are remembered as they were written; years of them.
const DATES_KEPT: usize = 4096;

/// The first words of totals under a table, where they stand in the column of the ids. A row
/// with a date, or with another word, is a record or a fault, and never passed over.
const TOTALS: [&str; 8] =
    ["total", "totals", "subtotal", "grand", "sum", "summe", "gesamt", "count"];

/// What a row turned out to be.
pub(super) enum Row {
    Record(LedgerRecord),
    /// A total or a remark under the table: no date, and no id or one that says so.
    Footer,
}

/// Why a row is quarantined, and the column that is to blame.
#[derive(Debug)]
pub(super) struct Fault {
    pub column: Option<usize>,
    pub reason: String,
}

/// Everything that is the same for all rows of a file.
pub(super) struct RowReader<'a> {
    columns: &'a Columns,
    ledger: &'a LedgerSettings,
    /// By id: a shared ledger may hold ten thousand of them.
    merchants: HashMap<&'a str, &'a Merchant>,
    /// The merchant that alone names this ledger.
    only_merchant: Option<&'a Merchant>,
    date_format: Vec<Item<'a>>,
    /// Dates as they were written: a file repeats few of them.
    dates: RefCell<HashMap<String, NaiveDate>>,
}

impl<'a> RowReader<'a> {
    /// A reader of rows under `columns`; `merchants` are all that the configuration names.
    pub(super) fn new(
        columns: &'a Columns,
        ledger: &'a LedgerSettings,
        merchants: &'a [Merchant],
    ) -> Self {
        let mut named = merchants_of(ledger, merchants);
        let first = named.next();
        let only_merchant = if named.next().is_none() { first } else { None };
        let merchants = merchants.iter().map(|one| (one.id.as_str(), one)).collect();
        let date_format = StrftimeItems::new(&ledger.date_format).collect();
        let dates = RefCell::default();
        Self { columns, ledger, merchants, only_merchant, date_format, dates }
    }

    /// Reads the row that begins on `line`.
    pub(super) fn read(&self, cells: &StringRecord, line: u64) -> Result<Row, Fault> {
        let columns = self.columns;
        let id = self.cell(cells, "id", columns.id);
        let date = self.cell(cells, "date", columns.date);
        if date.is_empty() && (id.is_empty() || is_total(&id)) && !self.names_a_movement(cells) {
            return Ok(Row::Footer);
        }
        self.check_width(cells)?;
        if id.is_empty() {
            return Err(fault(columns.id, "expected an id, found nothing"));
        }
        let merchant = self.merchant(cells)?;
        let currency = self.currency(cells, merchant)?;
        let (kind, amount) = self.kind_and_amount(cells, currency)?;
        Ok(Row::Record(LedgerRecord {
            ledger: self.ledger.name.clone(),
            merchant_id: merchant.id.clone(),
            ledger_id: id.into_owned(),
            line,
            kind,
            date: self.date(&date)?,
            amount,
            currency,
            order_id: self.text(cells, "order_id", columns.order_id),
            reference: self.text(cells, "reference", columns.reference),
            last4: self.last4(cells)?,
            status: self.status(cells)?,
        }))
    }

    /// Whether it is a record that something is missing of, and no total.
    fn names_a_movement(&self, cells: &StringRecord) -> bool {
        let columns = [self.columns.order_id, self.columns.reference, self.columns.last4];
        let mut named = columns.into_iter().flatten().filter_map(|at| cells.get(at));
        named.any(|cell| !cell.trim().is_empty())
    }

    /// The trimmed cell, translated by the ledger's `values` for that column.
    fn cell<'b>(&'b self, cells: &'b StringRecord, column: &str, position: usize) -> Cow<'b, str> {
        let cell = cells.get(position).unwrap_or("").trim();
        let Some(words) = self.ledger.values.get(column) else { return Cow::Borrowed(cell) };
        let same_letters =
            || words.iter().find(|(theirs, _)| theirs.to_lowercase() == cell.to_lowercase());
        match words.get_key_value(cell).or_else(same_letters) {
            Some((_, ours)) => Cow::Borrowed(ours.trim()),
            None => Cow::Borrowed(cell),
        }
    }

    fn text(&self, cells: &StringRecord, column: &str, position: Option<usize>) -> Option<String> {
        let cell = self.cell(cells, column, position?);
        (!cell.is_empty()).then(|| cell.into_owned())
    }

    /// A short row was cut off, a long one holds a delimiter that should have been quoted.
    fn check_width(&self, cells: &StringRecord) -> Result<(), Fault> {
        let expected = self.columns.headers.len();
        let has_extra = cells.iter().skip(expected).any(|cell| !cell.trim().is_empty());
        if cells.len() >= expected && !has_extra {
            return Ok(());
        }
        let reason = format!("expected {expected} cells, found {}", cells.len());
        Err(Fault { column: None, reason })
    }

    fn merchant(&self, cells: &StringRecord) -> Result<&'a Merchant, Fault> {
        let column = self.columns.merchant;
        let cell = column.map_or(Cow::Borrowed(""), |at| self.cell(cells, "merchant", at));
        if cell.is_empty() {
            return self.only_merchant.ok_or_else(|| Fault {
                column,
                reason: "expected a merchant, found nothing".to_owned(),
            });
        }
        self.merchants.get(cell.as_ref()).copied().ok_or_else(|| Fault {
            column,
            reason: format!("expected a configured merchant, found {}", excerpt(&cell)),
        })
    }

    fn currency(&self, cells: &StringRecord, merchant: &Merchant) -> Result<Currency, Fault> {
        let column = self.columns.currency;
        let cell = column.map_or(Cow::Borrowed(""), |at| self.cell(cells, "currency", at));
        if cell.is_empty() {
            return merchant.currency.ok_or_else(|| Fault {
                column,
                reason: format!(
                    "expected a currency, found nothing, and merchant {} has none configured",
                    merchant.id
                ),
            });
        }
        Currency::from_code(&cell.to_ascii_uppercase()).ok_or_else(|| Fault {
            column,
            reason: format!("expected an ISO 4217 code such as USD, found {}", excerpt(&cell)),
        })
    }

    fn date(&self, cell: &str) -> Result<NaiveDate, Fault> {
        if let Some(date) = self.dates.borrow().get(cell) {
            return Ok(*date);
        }
        let date = self.parse_date(cell)?;
        let mut dates = self.dates.borrow_mut();
        if dates.len() < DATES_KEPT {
            dates.insert(cell.to_owned(), date);
        }
        Ok(date)
    }

    fn parse_date(&self, cell: &str) -> Result<NaiveDate, Fault> {
        let mut parsed = Parsed::new();
        chrono::format::parse(&mut parsed, cell, self.date_format.iter())
            .and_then(|()| parsed.to_naive_date())
            .ok()
            .filter(|date| PLAUSIBLE_YEARS.contains(&date.year()))
            .ok_or_else(|| {
                let format = &self.ledger.date_format;
                let found = excerpt(cell);
                fault(self.columns.date, &format!("expected a date as {format}, found {found}"))
            })
    }

    fn kind_and_amount(
        &self,
        cells: &StringRecord,
        currency: Currency,
    ) -> Result<(LedgerKind, Minor), Fault> {
        let (position, default_kind, amount) = match self.columns.amount {
            AmountColumns::Signed(position) => {
                (position, None, self.amount(cells, "amount", position, currency)?)
            }
            AmountColumns::Split { debit, credit } => {
                self.split_amount(cells, (debit, credit), currency)?
            }
        };
        let by_sign = if amount.0 < 0 { LedgerKind::Refund } else { LedgerKind::Payment };
        let kind = match (self.kind(cells)?, default_kind) {
            (Some(said), Some(implied)) if said != implied => {
                let (said, implied) = (said.as_str(), implied.as_str());
                let reason = format!("expected {implied}, as debit or credit says, found {said}");
                return Err(Fault { column: self.columns.kind, reason });
            }
            (Some(kind), _) | (None, Some(kind)) => kind,
            (None, None) => by_sign,
        };
        if kind == LedgerKind::Payment && amount.0 < 0 {
            let cell = cells.get(position).unwrap_or("").trim();
            let found = excerpt(cell);
            let reason = format!("expected a payment's amount not to be negative, found {found}");
            return Err(fault(position, &reason));
        }
        // The limit of an amount keeps its magnitude far from overflow.
        Ok((kind, Minor(amount.0.abs())))
    }

    fn amount(
        &self,
        cells: &StringRecord,
        column: &str,
        position: usize,
        currency: Currency,
    ) -> Result<Minor, Fault> {
        let separators =
            Separators { decimal: self.ledger.decimal, thousands: self.ledger.thousands };
        amount::parse(&self.cell(cells, column, position), separators, currency)
            .map_err(|reason| fault(position, &reason))
    }

    /// Exactly one of debit and credit counts; a zero beside an amount is how many exports
    /// leave a cell empty.
    fn split_amount(
        &self,
        cells: &StringRecord,
        (debit, credit): (usize, usize),
        currency: Currency,
    ) -> Result<(usize, Option<LedgerKind>, Minor), Fault> {
        let read = |column: &str, position: usize| {
            if self.cell(cells, column, position).is_empty() {
                return Ok(None);
            }
            self.amount(cells, column, position, currency).map(Some)
        };
        let payment = |amount| (debit, Some(LedgerKind::Payment), amount);
        let refund = |amount| (credit, Some(LedgerKind::Refund), amount);
        match (read("debit", debit)?, read("credit", credit)?) {
            (Some(amount), None | Some(Minor(0))) if amount.0 != 0 => Ok(payment(amount)),
            (None | Some(Minor(0)), Some(amount)) if amount.0 != 0 => Ok(refund(amount)),
            (Some(zero), None) => Ok(payment(zero)),
            (None, Some(zero)) => Ok(refund(zero)),
            (None, None) => Err(fault(debit, "expected debit or credit filled, found neither")),
            (Some(_), Some(_)) => {
                Err(fault(debit, "expected exactly one of debit and credit filled, found both"))
            }
        }
    }

    fn kind(&self, cells: &StringRecord) -> Result<Option<LedgerKind>, Fault> {
        let Some(word) = self.text(cells, "kind", self.columns.kind) else { return Ok(None) };
        LedgerKind::from_name(&word).map(Some).ok_or_else(|| Fault {
            column: self.columns.kind,
            reason: format!("expected payment or refund, found {}", excerpt(&word)),
        })
    }

    fn status(&self, cells: &StringRecord) -> Result<LedgerStatus, Fault> {
        let Some(word) = self.text(cells, "status", self.columns.status) else {
            return Ok(LedgerStatus::Paid);
        };
        LedgerStatus::from_name(&word).ok_or_else(|| Fault {
            column: self.columns.status,
            reason: format!("expected paid, void, declined or returned, found {}", excerpt(&word)),
        })
    }

    /// The last four digits of whatever the cell holds; the cell itself is never shown.
    fn last4(&self, cells: &StringRecord) -> Result<Option<String>, Fault> {
        let Some(word) = self.text(cells, "last4", self.columns.last4) else { return Ok(None) };
        let last4 = word.len().checked_sub(4).and_then(|start| word.get(start..));
        match last4 {
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                Ok(Some(digits.to_owned()))
            }
            _ => Err(Fault {
                column: self.columns.last4,
                reason: format!(
                    "expected four digits, or a number that ends in four digits, \
                     found {} other characters",
                    word.chars().count()
                ),
            }),
        }
    }
}

/// Whether a row without a date says of itself that it is a total under the table.
fn is_total(id: &str) -> bool {
    let first: String =
        id.chars().take_while(|one| one.is_alphabetic()).flat_map(char::to_lowercase).collect();
    TOTALS.contains(&first.as_str())
}

/// The merchants whose ledger this is.
pub(super) fn merchants_of<'a>(
    ledger: &'a LedgerSettings,
    merchants: &'a [Merchant],
) -> impl Iterator<Item = &'a Merchant> {
    merchants.iter().filter(|merchant| merchant.ledger.as_ref() == Some(&ledger.name))
}

fn fault(column: usize, reason: &str) -> Fault {
    Fault { column: Some(column), reason: reason.to_owned() }
}
