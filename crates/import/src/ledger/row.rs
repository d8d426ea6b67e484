//! Turns one row of a ledger file into a record, a skipped row, or a fault with its reason.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;
use chrono_tz::Tz;

use crate::table::{
    AmountReader, Cells, Columns, DateReader, IGNORE, MoneyIn, Row, Sums, Table, Wanted, Words,
    excerpt, is_label, is_total_of,
};
use compact_str::format_compact;
use tieout_config::{LedgerSettings, Merchant};
use tieout_model::money::{Currency, Minor};
use tieout_model::{
    LedgerKind, LedgerRecord, LedgerStatus, MerchantId, ShortText, mask_card_numbers,
};

/// The columns of a ledger.
pub(super) const WANTED: Wanted = Wanted {
    needed: &["id", "date"],
    optional: &["kind", "currency", "order_id", "reference", "last4", "status", "merchant"],
    is_split_whole: true,
};

/// The kind of a row.
#[expect(clippy::large_enum_variant, reason = "nearly every row is a record")]
pub(super) enum Reading {
    /// A record, and its refund where the row states one.
    Record(LedgerRecord, Option<LedgerRecord>),
    /// A total, a remark, or a row that the configuration ignores; with the reason.
    Skipped(String),
}

/// Why a row is quarantined, and the faulty column.
#[derive(Debug)]
pub(super) struct Fault {
    pub column: Option<usize>,
    pub reason: String,
}

/// The readable parts of a quarantined row.
#[derive(Default)]
pub(super) struct Glimpse {
    pub merchant_id: Option<MerchantId>,
    pub kind: Option<LedgerKind>,
    pub date: Option<NaiveDate>,
    /// As written, with its sign.
    pub amount: Option<Minor>,
    pub currency: Option<Currency>,
    pub reference: Option<ShortText>,
}

/// The parts of reading that all rows of a file share.
pub(super) struct RowReader<'a> {
    columns: Columns,
    ledger: &'a LedgerSettings,
    words: Words,
    amounts: AmountReader,
    /// By id: a shared ledger may have ten thousand merchants.
    merchants: HashMap<&'a str, &'a Merchant>,
    /// The merchant, when only one names this ledger.
    only_merchant: Option<&'a Merchant>,
    /// One reader for each time zone that timestamps are converted to.
    dates: Vec<(Tz, DateReader)>,
    /// The id of the row above.
    last_id: RefCell<String>,
    /// Whether an earlier debit was positive: then a negative one is a reversal.
    has_debit: std::cell::Cell<bool>,
}

impl<'a> RowReader<'a> {
    /// A reader of rows under `columns`; `merchants` are all configured merchants.
    pub(super) fn new(
        columns: &Columns,
        ledger: &'a LedgerSettings,
        merchants: &'a [Merchant],
    ) -> Self {
        let mut named = merchants_of(ledger, merchants);
        let first = named.next();
        let only_merchant = if named.next().is_none() { first } else { None };
        let zones: HashSet<Tz> =
            merchants.iter().map(|merchant| zone_of(ledger, merchant)).collect();
        let reader = |zone| (zone, DateReader::of(&ledger.table, Some(zone)));
        Self {
            columns: columns.clone(),
            ledger,
            words: Words::new(&ledger.table.values),
            amounts: AmountReader::new(&ledger.table, MoneyIn::Debit),
            dates: zones.into_iter().map(reader).collect(),
            merchants: merchants.iter().map(|one| (one.id.as_str(), one)).collect(),
            only_merchant,
            last_id: RefCell::default(),
            has_debit: std::cell::Cell::default(),
        }
    }

    /// Reads the current row of `table`; `sums` are the sums of the rows above.
    pub(super) fn read(&self, table: &Table, sums: &mut Sums) -> Result<Reading, Fault> {
        let row = table.row();
        let cells = row.cells;
        if let Some(reason) = self.ignored(cells) {
            return Ok(Reading::Skipped(reason));
        }
        if self.goes_on(cells) {
            return Ok(Reading::Skipped("a further line of the record above".to_owned()));
        }
        if let Some(reason) = self.footer(table, sums) {
            sums.begin_again();
            return Ok(Reading::Skipped(reason));
        }
        if let Some(reason) = row.width_fault {
            return Err(Fault { column: None, reason: reason.to_owned() });
        }
        let record = self.record(row)?;
        let refund = self.refund(cells, &record)?;
        let is_refund = record.kind == LedgerKind::Refund;
        let signed = Minor(if is_refund { -record.amount.0 } else { record.amount.0 });
        if sums.is_sum(signed) && self.word_of_total(cells) {
            sums.begin_again();
            return Ok(Reading::Skipped("a total: the sum of the rows above".to_owned()));
        }
        sums.add(Some(signed));
        Ok(Reading::Record(record, refund))
    }

    /// The refund that the row states for its amount, as a record of its own.
    fn refund(&self, cells: &Cells, record: &LedgerRecord) -> Result<Option<LedgerRecord>, Fault> {
        let Some(at) = self.columns.refund else { return Ok(None) };
        let amount = self.amount(cells, at, record.currency)?.filter(|amount| amount.0 != 0);
        Ok(amount.map(|amount| LedgerRecord {
            ledger_id: format_compact!("{}-refund", record.ledger_id),
            kind: LedgerKind::Refund,
            amount: Minor(amount.0.abs()),
            // The reference names the payment.
            reference: None,
            ..record.clone()
        }))
    }

    /// Checks whether a row repeats the id of the row above and has no amount: exports of orders
    /// have a row for each item bought.
    fn goes_on(&self, cells: &Cells) -> bool {
        let Some(id) = self.columns.id.map(|at| cells.get(at)).filter(|id| !id.is_empty()) else {
            return false;
        };
        let mut last = self.last_id.borrow_mut();
        if *last != id {
            id.clone_into(&mut last);
            return false;
        }
        self.has_no_amount(cells)
    }

    fn has_no_amount(&self, cells: &Cells) -> bool {
        self.columns.amounts().all(|at| AmountReader::is_none(cells.get(at)))
    }

    fn record(&self, row: Row<'_>) -> Result<LedgerRecord, Fault> {
        let (columns, cells) = (&self.columns, row.cells);
        let id = self.text(cells, "id", columns.id);
        let id = id.ok_or_else(|| blame(columns.id, "expected an id, found nothing"))?;
        let merchant = self.merchant(cells)?;
        let currency = self.currency(cells, merchant)?;
        let (kind, amount) = self.kind_and_amount(cells, currency)?;
        Ok(LedgerRecord {
            ledger: self.ledger.name.as_str().into(),
            merchant_id: merchant.id.clone(),
            ledger_id: id,
            line: row.line,
            kind,
            date: self.date(cells, merchant)?,
            amount,
            currency,
            order_id: self
                .text(cells, "order_id", columns.order_id)
                .map(|order| mask_card_numbers(&order).as_ref().into()),
            reference: self.reference(cells),
            last4: self.last4(cells)?,
            status: self.status(cells)?,
        })
    }

    /// The readable parts of a quarantined row.
    pub(super) fn glimpse(&self, table: &Table) -> Glimpse {
        let cells = table.row().cells;
        let merchant = self.merchant(cells).ok();
        let currency = merchant.and_then(|merchant| self.currency(cells, merchant).ok());
        let amount = currency.and_then(|currency| self.any_amount(cells, currency));
        // A payment below zero, or a refund in the column of debits, may be either kind.
        let told = currency.and_then(|currency| self.kind_and_amount(cells, currency).ok());
        let said = || self.kind(cells).ok().flatten().filter(|_| amount.is_none());
        Glimpse {
            merchant_id: merchant.map(|merchant| merchant.id.clone()),
            kind: told.map(|(kind, _)| kind).or_else(said),
            date: merchant.and_then(|merchant| self.date(cells, merchant).ok()),
            amount,
            currency,
            reference: self.reference(cells),
        }
    }

    /// Why the configuration ignores a row.
    fn ignored(&self, cells: &Cells) -> Option<String> {
        let columns = [("kind", self.columns.kind), ("status", self.columns.status)];
        columns.into_iter().find_map(|(column, at)| {
            let cell = cells.get(at?);
            let word = self.words.translation(column, cell)?;
            (word == IGNORE).then(|| format!("{column} {} is ignored by values", excerpt(cell)))
        })
    }

    /// Why a row does not belong to the table: it is a total, or a remark without an id or a date.
    fn footer(&self, table: &Table, sums: &Sums) -> Option<String> {
        let row = table.row();
        let cells = row.cells;
        let cell = |at: Option<usize>| at.map_or("", |at| cells.get(at));
        let (id, date) = (cell(self.columns.id), cell(self.columns.date));
        let is_undated = date.is_empty() || is_label(date) || is_total_of(date) || row.is_footer;
        if !(id.is_empty() || is_undated) || self.names_a_movement(cells) {
            return None;
        }
        let is_dated = |at: usize| table.dates().is_date(cells.get(at), cells.kind(at));
        if cells.iter().any(is_label) {
            return Some("a total, a balance or a footer".to_owned());
        }
        if cells.iter().any(is_total_of) && self.is_sum(cells, sums) {
            return Some("a total: the sum of the rows above".to_owned());
        }
        // `Total Card Clearing`, `**`: a total of a group, with amounts in several columns.
        let is_nameless = is_undated && (id.is_empty() || is_total_of(id));
        let first = cells.iter().find(|cell| !cell.is_empty());
        if is_nameless && first.is_some_and(is_total_of) {
            return Some("a total of a group".to_owned());
        }
        let is_loose = id.is_empty() && !self.columns.date.is_some_and(is_dated);
        let is_remark = (row.is_footer || is_loose) && self.has_no_amount(cells);
        is_remark.then(|| "a remark without id, date and amount".to_owned())
    }

    /// Checks whether the amount of a row is the sum of the rows above.
    fn is_sum(&self, cells: &Cells, sums: &Sums) -> bool {
        let currency = self.only_merchant.and_then(|merchant| merchant.currency);
        let amount = currency.and_then(|currency| self.any_amount(cells, currency));
        amount.is_some_and(|amount| sums.is_sum(amount))
    }

    /// Checks whether a row whose amount is the sum of the rows above is labelled as a total.
    fn word_of_total(&self, cells: &Cells) -> bool {
        self.columns.id.is_some_and(|at| is_label(cells.get(at))) && !self.names_a_movement(cells)
    }

    /// Checks whether a row is an incomplete record, not a total.
    fn names_a_movement(&self, cells: &Cells) -> bool {
        let columns = [self.columns.order_id, self.columns.reference, self.columns.last4];
        columns.into_iter().flatten().any(|at| !cells.get(at).is_empty())
    }

    fn text(&self, cells: &Cells, column: &str, position: Option<usize>) -> Option<ShortText> {
        let cell = self.words.of(column, cells.get(position?));
        (!cell.is_empty()).then(|| cell.into())
    }

    fn reference(&self, cells: &Cells) -> Option<ShortText> {
        let cell = self.text(cells, "reference", self.columns.reference)?;
        Some(whole(&cell).into())
    }

    fn merchant(&self, cells: &Cells) -> Result<&'a Merchant, Fault> {
        let column = self.columns.merchant;
        let cell = column.map_or("", |at| self.words.of("merchant", whole(cells.get(at))));
        if cell.is_empty() {
            return self
                .only_merchant
                .ok_or_else(|| blame(column, "expected a merchant, found nothing"));
        }
        self.merchants.get(cell).copied().ok_or_else(|| {
            blame(column, &format!("expected a configured merchant, found {}", excerpt(cell)))
        })
    }

    fn currency(&self, cells: &Cells, merchant: &Merchant) -> Result<Currency, Fault> {
        let column = self.columns.currency;
        let cell = column.map_or("", |at| self.words.of("currency", cells.get(at)));
        if cell.is_empty() {
            return merchant.currency.ok_or_else(|| {
                let id = &merchant.id;
                let reason = "expected a currency, found nothing, and merchant";
                blame(column, &format!("{reason} {id} has none configured"))
            });
        }
        Currency::from_code(&cell.to_ascii_uppercase()).ok_or_else(|| {
            let found = excerpt(cell);
            blame(column, &format!("expected an ISO 4217 code such as USD, found {found}"))
        })
    }

    fn date(&self, cells: &Cells, merchant: &Merchant) -> Result<NaiveDate, Fault> {
        let position = self.columns.date;
        let zone = zone_of(self.ledger, merchant);
        let Some((_, dates)) = self.dates.iter().find(|one| one.0 == zone) else {
            return Err(blame(position, "expected a date, found nothing"));
        };
        dates.of_row(cells, &self.columns).map_err(|reason| blame(position, &reason))
    }

    fn kind_and_amount(
        &self,
        cells: &Cells,
        currency: Currency,
    ) -> Result<(LedgerKind, Minor), Fault> {
        let (position, default_kind, amount) = match self.columns.amount {
            Some(position) => {
                let amount = self.amount(cells, position, currency)?;
                let missing = || blame(Some(position), "expected an amount, found nothing");
                let amount = amount.ok_or_else(missing)?;
                let sign = if self.ledger.table.has_reversed_sign { -1 } else { 1 };
                (Some(position), None, Minor(sign * amount.0))
            }
            None => self.split_amount(cells, currency)?,
        };
        let by_sign = if amount.0 < 0 { LedgerKind::Refund } else { LedgerKind::Payment };
        let kind = match (self.kind(cells)?, default_kind) {
            (Some(said), Some(implied)) if said != implied => {
                let (said, implied) = (said.as_str(), implied.as_str());
                let reason = format!(
                    "expected {implied}, as the debit or credit column implies, \
                                      found {said}"
                );
                return Err(blame(self.columns.kind, &reason));
            }
            (Some(kind), _) | (None, Some(kind)) => kind,
            (None, None) => by_sign,
        };
        if kind == LedgerKind::Payment && amount.0 < 0 {
            let found = excerpt(position.map_or("", |at| cells.get(at)));
            let reason = format!("expected a payment's amount not to be negative, found {found}");
            return Err(blame(position, &reason));
        }
        // The limit of an amount keeps its magnitude far from overflow.
        Ok((kind, Minor(amount.0.abs())))
    }

    fn amount(
        &self,
        cells: &Cells,
        position: usize,
        currency: Currency,
    ) -> Result<Option<Minor>, Fault> {
        self.amounts
            .read(cells.get(position), cells.kind(position), currency)
            .map_err(|reason| blame(Some(position), &reason))
    }

    /// The amount of the first column that has one.
    fn any_amount(&self, cells: &Cells, currency: Currency) -> Option<Minor> {
        self.columns.amounts().find_map(|at| self.amount(cells, at, currency).ok().flatten())
    }

    /// The one filled cell of debit and credit; a zero beside an amount counts as empty, as many
    /// exports write it.
    fn split_amount(
        &self,
        cells: &Cells,
        currency: Currency,
    ) -> Result<(Option<usize>, Option<LedgerKind>, Minor), Fault> {
        let (debit, credit) = (self.columns.debit, self.columns.credit);
        let read = |at: Option<usize>| {
            at.map_or(Ok(None), |position| self.amount(cells, position, currency))
        };
        let payment = |amount: Minor| {
            // A reversed debit.
            let is_reversal = amount.0 < 0 && self.has_debit.get();
            self.has_debit.set(self.has_debit.get() || amount.0 > 0);
            let kind = if is_reversal { LedgerKind::Refund } else { LedgerKind::Payment };
            (debit, Some(kind), amount)
        };
        let refund = |amount| (credit, Some(LedgerKind::Refund), amount);
        match (read(debit)?, read(credit)?) {
            (Some(amount), None | Some(Minor(0))) if amount.0 != 0 => Ok(payment(amount)),
            (None | Some(Minor(0)), Some(amount)) if amount.0 != 0 => Ok(refund(amount)),
            (Some(zero), None) | (Some(Minor(0)), Some(zero @ Minor(0))) => Ok(payment(zero)),
            (None, Some(zero)) => Ok(refund(zero)),
            (None, None) => Err(blame(debit, "expected debit or credit filled, found neither")),
            (Some(_), Some(_)) => {
                Err(blame(debit, "expected exactly one of debit and credit filled, found both"))
            }
        }
    }

    fn kind(&self, cells: &Cells) -> Result<Option<LedgerKind>, Fault> {
        let Some(word) = self.text(cells, "kind", self.columns.kind) else { return Ok(None) };
        LedgerKind::from_name(&word).map(Some).ok_or_else(|| {
            let ours = LedgerKind::ALL.map(LedgerKind::as_str);
            blame(self.columns.kind, &Words::refusal("kind", &word, &ours))
        })
    }

    fn status(&self, cells: &Cells) -> Result<LedgerStatus, Fault> {
        let Some(word) = self.text(cells, "status", self.columns.status) else {
            return Ok(LedgerStatus::Paid);
        };
        LedgerStatus::from_name(&word).ok_or_else(|| {
            let ours = LedgerStatus::ALL.map(LedgerStatus::as_str);
            blame(self.columns.status, &Words::refusal("status", &word, &ours))
        })
    }

    /// The last four digits of the cell; the cell itself is never shown.
    fn last4(&self, cells: &Cells) -> Result<Option<ShortText>, Fault> {
        let Some(word) = self.text(cells, "last4", self.columns.last4) else { return Ok(None) };
        // Spreadsheets drop leading zeros of a number.
        let word: ShortText = match whole(&word) {
            digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                format_compact!("{digits:0>4}")
            }
            other => other.into(),
        };
        let last4 = word.len().checked_sub(4).and_then(|start| word.get(start..));
        match last4 {
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                Ok(Some(digits.into()))
            }
            _ => {
                let count = word.chars().count();
                let reason = "expected four digits, or a number that ends in four digits, found";
                Err(blame(self.columns.last4, &format!("{reason} {count} other characters")))
            }
        }
    }
}

/// A number without the `.0` that some programs append to a whole one (`6137600.0`). The
/// processor's ids, a card's digits and a merchant's id contain no decimal point.
fn whole(cell: &str) -> &str {
    let number = cell.strip_suffix(".0");
    let is_number =
        |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    number.filter(is_number).unwrap_or(cell)
}

/// The zone whose day a timestamp in the books of `merchant` belongs to.
fn zone_of(ledger: &LedgerSettings, merchant: &Merchant) -> Tz {
    ledger.table.time_zone.unwrap_or(merchant.time_zone)
}

/// The merchants that name this ledger.
pub(super) fn merchants_of<'a>(
    ledger: &'a LedgerSettings,
    merchants: &'a [Merchant],
) -> impl Iterator<Item = &'a Merchant> {
    merchants.iter().filter(|merchant| merchant.ledger.as_ref() == Some(&ledger.name))
}

fn blame(column: Option<usize>, reason: &str) -> Fault {
    Fault { column, reason: reason.to_owned() }
}
