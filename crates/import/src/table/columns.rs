//! Finds the columns of a table by applying a mapping to its header. An explicit mapping takes
//! precedence over a header with a standard name.

use super::TableError;
use super::cells::{Cells, folded};
use super::excerpt::excerpt;
use tieout_config::TableSettings;

/// Headers that a message lists, at most.
const MAX_HEADERS_SHOWN: usize = 20;

/// The columns that a kind of table needs beside an amount.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub needed: &'static [&'static str],
    pub optional: &'static [&'static str],
    /// Whether debit and credit are both present or both absent.
    pub is_split_whole: bool,
}

/// The positions of a table's columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// The file's own headers.
    pub headers: Vec<String>,
    pub id: Option<usize>,
    pub date: Option<usize>,
    pub amount: Option<usize>,
    pub debit: Option<usize>,
    pub credit: Option<usize>,
    pub direction: Option<usize>,
    pub kind: Option<usize>,
    pub currency: Option<usize>,
    pub order_id: Option<usize>,
    pub reference: Option<usize>,
    pub last4: Option<usize>,
    pub status: Option<usize>,
    pub merchant: Option<usize>,
    pub description: Option<usize>,
    pub account: Option<usize>,
    /// Parts of the date, where they have columns of their own.
    pub time: Option<usize>,
    pub zone: Option<usize>,
    /// The refunded part of the amount.
    pub refund: Option<usize>,
    /// Whether the file has a header.
    pub has_header: bool,
    /// Columns that are deliberately not mapped.
    unused: Vec<usize>,
}

/// Columns without a standard name: they are found only by a mapping.
const MAPPED_ALONE: [&str; 3] = ["time", "zone", "refund"];

impl Columns {
    /// Finds the columns of `settings` in a header. The suggestion of an error is empty.
    pub(super) fn find(
        header: &Cells,
        settings: &TableSettings,
        wanted: Wanted,
    ) -> Result<Self, TableError> {
        let headers: Vec<String> = if settings.has_header {
            header.iter().map(str::to_owned).collect()
        } else {
            (1..=header.len()).map(|number| number.to_string()).collect()
        };
        let mut finder = Finder { headers: &headers, settings, mapped: Vec::new() };
        for column in settings.columns.keys() {
            let mapped = finder.position(column)?;
            finder.mapped.extend(mapped);
        }
        let is_unused =
            |header: &String| settings.unused.iter().any(|unused| folded(unused) == folded(header));
        let mut columns = Self { has_header: settings.has_header, ..Self::default() };
        columns.unused = (0..headers.len()).filter(|at| is_unused(&headers[*at])).collect();
        finder.mapped.extend(&columns.unused);
        for column in wanted.needed {
            *columns.slot(column) = Some(finder.needed(column)?);
        }
        for column in wanted.optional {
            *columns.slot(column) = finder.optional(column)?;
        }
        for column in MAPPED_ALONE.into_iter().filter(|column| finder.is_mapped(column)) {
            *columns.slot(column) = Some(finder.needed(column)?);
        }
        finder.amount(&mut columns, wanted.is_split_whole)?;
        if let Some(at) = columns.currency.filter(|_| !finder.is_mapped("currency")) {
            finder.doubt_currency(at, &columns)?;
        }
        columns.headers = headers;
        Ok(columns)
    }

    fn slot(&mut self, column: &str) -> &mut Option<usize> {
        match column {
            "id" => &mut self.id,
            "date" => &mut self.date,
            "direction" => &mut self.direction,
            "kind" => &mut self.kind,
            "currency" => &mut self.currency,
            "order_id" => &mut self.order_id,
            "reference" => &mut self.reference,
            "last4" => &mut self.last4,
            "status" => &mut self.status,
            "merchant" => &mut self.merchant,
            "description" => &mut self.description,
            "time" => &mut self.time,
            "zone" => &mut self.zone,
            "refund" => &mut self.refund,
            _ => &mut self.account,
        }
    }

    /// Checks whether a known column is at `position`.
    pub(crate) fn is_mapped(&self, position: usize) -> bool {
        let all = [
            self.id,
            self.date,
            self.amount,
            self.debit,
            self.credit,
            self.direction,
            self.kind,
            self.currency,
            self.order_id,
            self.reference,
            self.last4,
            self.status,
            self.merchant,
            self.description,
            self.account,
            self.time,
            self.zone,
            self.refund,
        ];
        all.contains(&Some(position))
    }

    /// Checks whether the column at `position` is neither mapped nor declared unused.
    pub(crate) fn is_free(&self, position: usize) -> bool {
        !self.is_mapped(position) && !self.unused.contains(&position)
    }

    /// The columns with amounts.
    pub fn amounts(&self) -> impl Iterator<Item = usize> {
        [self.amount, self.debit, self.credit].into_iter().flatten()
    }
}

struct Finder<'a> {
    headers: &'a [String],
    settings: &'a TableSettings,
    /// Positions that the settings mention: no other column is found there by its name.
    mapped: Vec<usize>,
}

impl Finder<'_> {
    fn header_of<'b>(&'b self, column: &'b str) -> &'b str {
        header_of(self.settings, column)
    }

    fn is_mapped(&self, column: &str) -> bool {
        self.settings.columns.contains_key(column)
    }

    /// Refuses a currency column found by its standard name when it may belong to an amount other
    /// than the mapped one.
    fn doubt_currency(&self, at: usize, columns: &Columns) -> Result<(), TableError> {
        let amount = columns.amounts().next().map_or("", |at| &self.headers[at]);
        if folded(amount) == "amount" {
            return Ok(());
        }
        let others = self.headers.iter().enumerate().filter(|(other, _)| *other != at);
        let mut belonging = others.filter(|(other, header)| {
            let header = folded(header);
            header == "amount"
                || (!columns.is_mapped(*other) && header.split(' ').any(|word| word == "currency"))
        });
        match belonging.next() {
            Some((_, other)) => Err(TableError::DefaultInDoubt {
                key: "currency",
                header: self.headers[at].clone(),
                other: other.clone(),
            }),
            None => Ok(()),
        }
    }

    /// The position of `column`; `None` when it is not mapped and no header has its standard name.
    fn optional(&self, column: &'static str) -> Result<Option<usize>, TableError> {
        match self.position(column)? {
            None if self.is_mapped(column) => Err(self.missing(column)),
            position => Ok(position),
        }
    }

    fn position(&self, column: &str) -> Result<Option<usize>, TableError> {
        let wanted = self.header_of(column);
        if !self.settings.has_header {
            return self.number(column);
        }
        let position = |is_same: &dyn Fn(&str) -> bool| {
            let mut found = self.headers.iter().enumerate().filter(|(_, name)| is_same(name));
            let first = found.next().map(|(position, _)| position);
            (first, found.next().is_some())
        };
        let (mut first, mut is_repeated) = position(&|name| name == wanted);
        if first.is_none() {
            (first, is_repeated) = position(&|name| folded(name) == folded(wanted));
        }
        if is_repeated {
            return Err(TableError::ColumnTwice { header: wanted.to_owned() });
        }
        let is_by_name = !self.is_mapped(column);
        Ok(first.filter(|at| !(is_by_name && self.mapped.contains(at))))
    }

    /// The position of a column that is mapped by its number.
    fn number(&self, column: &str) -> Result<Option<usize>, TableError> {
        let Some(found) = self.settings.columns.get(column) else { return Ok(None) };
        let number = found.trim().parse::<usize>().ok();
        let at = number.and_then(|number| number.checked_sub(1));
        at.filter(|at| *at < self.headers.len()).map(Some).ok_or_else(|| {
            let (column, count) = (column.to_owned(), self.headers.len());
            TableError::NumberUnusable { column, count, found: found.clone() }
        })
    }

    fn needed(&self, column: &'static str) -> Result<usize, TableError> {
        self.position(column)?.ok_or_else(|| self.missing(column))
    }

    fn missing(&self, column: &'static str) -> TableError {
        if !self.settings.has_header {
            let (column, count) = (column.to_owned(), self.headers.len());
            return TableError::NumberUnusable { column, count, found: "nothing".to_owned() };
        }
        let shown: Vec<String> =
            self.headers.iter().take(MAX_HEADERS_SHOWN).map(|name| excerpt(name)).collect();
        let more = self.headers.len().saturating_sub(MAX_HEADERS_SHOWN);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        TableError::ColumnMissing {
            column,
            header: self.header_of(column).to_owned(),
            found: format!("{}{rest}", shown.join(", ")),
            suggestion: String::new(),
        }
    }

    fn amount(&self, columns: &mut Columns, is_split_whole: bool) -> Result<(), TableError> {
        let is_split_mapped = self.is_mapped("debit") || self.is_mapped("credit");
        if self.is_mapped("amount") && is_split_mapped {
            return Err(TableError::AmountTwice);
        }
        if !is_split_mapped {
            columns.amount = self.optional("amount")?;
            if columns.amount.is_some() {
                return Ok(());
            }
        }
        (columns.debit, columns.credit) = (self.optional("debit")?, self.optional("credit")?);
        match (columns.debit, columns.credit) {
            (None, None) => Err(self.missing("amount")),
            (None, _) if is_split_whole => Err(self.missing("debit")),
            (_, None) if is_split_whole => Err(self.missing("credit")),
            _ => Ok(()),
        }
    }
}

/// The header that the mapping gives `column`, else its standard name.
pub(super) fn header_of<'a>(settings: &'a TableSettings, column: &'a str) -> &'a str {
    settings.columns.get(column).map_or(column, String::as_str).trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::split::split;

    const WANTED: Wanted = Wanted {
        needed: &["id", "date"],
        optional: &["kind", "currency", "last4", "merchant"],
        is_split_whole: true,
    };

    fn find(header: &str, mapping: &[(&str, &str)]) -> Result<Columns, String> {
        let settings = TableSettings {
            columns: mapping
                .iter()
                .map(|(ours, theirs)| ((*ours).into(), (*theirs).into()))
                .collect(),
            ..TableSettings::default()
        };
        let mut cells = Cells::default();
        split(header, b',', &mut cells);
        Columns::find(&cells, &settings, WANTED).map_err(|error| error.to_string())
    }

    #[test]
    fn takes_the_mapped_header_else_our_own_name_in_any_case() {
        let found = find("Date,Invoice, AMOUNT ,Cur", &[("id", "Invoice"), ("currency", "Cur")]);
        let found = found.unwrap();
        assert_eq!((found.id, found.date, found.currency), (Some(1), Some(0), Some(3)));
        assert_eq!((found.amount, found.debit), (Some(2), None));
        assert_eq!((found.kind, found.last4, found.merchant), (None, None, None));
    }

    #[test]
    fn takes_debit_and_credit_in_place_of_an_amount() {
        let split = |columns: Columns| (columns.amount, columns.debit, columns.credit);
        let expected = (None, Some(2), Some(3));
        assert_eq!(split(find("id,date,debit,credit", &[]).unwrap()), expected);
        let mapped = find("id,date,In,Out,amount", &[("debit", "In"), ("credit", "Out")]);
        assert_eq!(split(mapped.unwrap()), expected);
        assert!(find("id,date,debit", &[]).unwrap_err().contains("column credit"));
        let both = find("id,date,amount,In,Out", &[("debit", "In"), ("amount", "amount")]);
        assert!(both.unwrap_err().contains("either an amount column or debit and credit"));
    }

    #[test]
    fn refuses_a_mapped_header_that_is_missing_or_stands_twice() {
        assert_eq!(
            find("Invoice,Day,Total", &[("id", "Invoice")]).unwrap_err(),
            "column date, expected a header \"date\", found \"Invoice\", \"Day\", \"Total\""
        );
        assert!(find("id,date,amount", &[("kind", "Type")]).unwrap_err().contains("column kind"));
        assert!(find("id,date,amount,id", &[]).unwrap_err().contains("\"id\", expected once"));
    }
}
