//! Which cell of a row is which: the mapping of a ledger applied to a file's header.

use std::path::Path;

use csv::StringRecord;

use super::LedgerError;
use super::excerpt::excerpt;
use crate::config::LedgerSettings;

/// Delimiters that a file might use in place of the configured one.
const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];

/// More headers are not listed in a message.
const MAX_HEADERS_SHOWN: usize = 20;

/// Positions of the cells that a file has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    pub id: usize,
    pub date: usize,
    pub amount: AmountColumns,
    pub kind: Option<usize>,
    pub currency: Option<usize>,
    pub order_id: Option<usize>,
    pub reference: Option<usize>,
    pub last4: Option<usize>,
    pub status: Option<usize>,
    pub merchant: Option<usize>,
    /// The file's own headers, for messages.
    pub headers: Vec<String>,
}

/// One signed column, or two of which exactly one is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AmountColumns {
    Signed(usize),
    Split { debit: usize, credit: usize },
}

impl Columns {
    /// Finds every column of `ledger` in the header of `path`.
    pub(super) fn find(
        header: &StringRecord,
        ledger: &LedgerSettings,
        path: &Path,
    ) -> Result<Self, LedgerError> {
        let headers: Vec<String> = header.iter().map(|cell| cell.trim().to_owned()).collect();
        check_delimiter(&headers, ledger, path)?;
        let finder = Finder { headers: &headers, ledger, path };
        Ok(Self {
            id: finder.needed("id")?,
            date: finder.needed("date")?,
            amount: finder.amount()?,
            kind: finder.optional("kind")?,
            currency: finder.optional("currency")?,
            order_id: finder.optional("order_id")?,
            reference: finder.optional("reference")?,
            last4: finder.optional("last4")?,
            status: finder.optional("status")?,
            merchant: finder.optional("merchant")?,
            headers,
        })
    }
}

/// A header that is one cell although it holds another usual delimiter was cut wrongly.
fn check_delimiter(
    headers: &[String],
    ledger: &LedgerSettings,
    path: &Path,
) -> Result<(), LedgerError> {
    let [only] = headers else { return Ok(()) };
    match DELIMITERS.into_iter().find(|&other| only.contains(other)) {
        None => Ok(()),
        Some(suggestion) => Err(LedgerError::DelimiterWrong {
            path: path.to_path_buf(),
            expected: ledger.delimiter,
            found: excerpt(only).trim_matches('"').to_owned(),
            suggestion,
        }),
    }
}

struct Finder<'a> {
    headers: &'a [String],
    ledger: &'a LedgerSettings,
    path: &'a Path,
}

impl Finder<'_> {
    /// The header that the mapping gives `column`, else our own name for it.
    fn header_of<'b>(&'b self, column: &'b str) -> &'b str {
        self.ledger.columns.get(column).map_or(column, String::as_str).trim()
    }

    fn optional(&self, column: &str) -> Result<Option<usize>, LedgerError> {
        let wanted = self.header_of(column);
        let position = |is_same: &dyn Fn(&str) -> bool| {
            let mut found = self.headers.iter().enumerate().filter(|(_, name)| is_same(name));
            let first = found.next().map(|(position, _)| position);
            (first, found.next().is_some())
        };
        let (mut first, mut is_repeated) = position(&|name| name == wanted);
        if first.is_none() {
            (first, is_repeated) = position(&|name| name.to_lowercase() == wanted.to_lowercase());
        }
        if is_repeated {
            return Err(LedgerError::ColumnTwice {
                path: self.path.to_path_buf(),
                header: wanted.to_owned(),
            });
        }
        Ok(first)
    }

    fn needed(&self, column: &'static str) -> Result<usize, LedgerError> {
        self.optional(column)?.ok_or_else(|| self.missing(column))
    }

    fn missing(&self, column: &'static str) -> LedgerError {
        let shown: Vec<String> =
            self.headers.iter().take(MAX_HEADERS_SHOWN).map(|name| excerpt(name)).collect();
        let more = self.headers.len().saturating_sub(MAX_HEADERS_SHOWN);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        LedgerError::ColumnMissing {
            path: self.path.to_path_buf(),
            column,
            header: self.header_of(column).to_owned(),
            found: format!("{}{rest}", shown.join(", ")),
        }
    }

    /// An explicit mapping beats a header that merely has our name.
    fn amount(&self) -> Result<AmountColumns, LedgerError> {
        let is_mapped = |column: &str| self.ledger.columns.contains_key(column);
        let is_split_mapped = is_mapped("debit") || is_mapped("credit");
        if is_mapped("amount") && is_split_mapped {
            return Err(LedgerError::AmountTwice { path: self.path.to_path_buf() });
        }
        if !is_split_mapped {
            if let Some(position) = self.optional("amount")? {
                return Ok(AmountColumns::Signed(position));
            }
            if self.optional("debit")?.is_none() && self.optional("credit")?.is_none() {
                return Err(self.missing("amount"));
            }
        }
        Ok(AmountColumns::Split { debit: self.needed("debit")?, credit: self.needed("credit")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::ledger::file::tests_support::settings;

    fn find(header: &str, mapping: &[(&str, &str)]) -> Result<Columns, String> {
        let mut ledger = settings();
        ledger.columns =
            mapping.iter().map(|(ours, theirs)| ((*ours).into(), (*theirs).into())).collect();
        let cells: StringRecord = header.split(',').collect::<Vec<_>>().into();
        Columns::find(&cells, &ledger, Path::new("books.csv")).map_err(|error| error.to_string())
    }

    #[test]
    fn takes_the_mapped_header_else_our_own_name_in_any_case() {
        let found = find("Date,Invoice, AMOUNT ,Cur", &[("id", "Invoice"), ("currency", "Cur")]);
        let found = found.unwrap();
        assert_eq!((found.id, found.date, found.currency), (1, 0, Some(3)));
        assert_eq!(found.amount, AmountColumns::Signed(2));
        assert_eq!((found.kind, found.last4, found.merchant), (None, None, None));
    }

    #[test]
    fn takes_debit_and_credit_in_place_of_an_amount() {
        let split = AmountColumns::Split { debit: 2, credit: 3 };
        assert_eq!(find("id,date,debit,credit", &[]).unwrap().amount, split);
        let mapped = find("id,date,In,Out,amount", &[("debit", "In"), ("credit", "Out")]);
        assert_eq!(mapped.unwrap().amount, split);
        assert!(find("id,date,debit", &[]).unwrap_err().contains("column credit"));
        let both = find("id,date,amount,In,Out", &[("debit", "In"), ("amount", "amount")]);
        assert!(both.unwrap_err().contains("either an amount column or debit and credit"));
    }

    #[test]
    fn names_what_was_found_and_what_to_do() {
        assert_eq!(
            find("Invoice,Day,Total", &[("id", "Invoice")]).unwrap_err(),
            "ledger file books.csv: column date, expected a header \"date\", found \"Invoice\", \
             \"Day\", \"Total\"\n\
             hint: map date under columns, or set skip_lines to the lines above the header"
        );
        assert_eq!(
            find("id;date;amount", &[]).unwrap_err(),
            "ledger file books.csv: delimiter \",\", expected it in the header, found \
             \"id;date;amount\"\n\
             hint: set delimiter = \";\" for this ledger"
        );
        assert!(find("id,date,amount,id", &[]).unwrap_err().contains("\"id\", expected once"));
    }
}
