//! The totals below a table: each column of amounts added up by currency, never across currencies.
//! An unknown amount is not added as zero: the total is marked as partial.

use std::io;

use super::cells::width_of_number;
use super::sheet::Sheet;
use super::styles::{self, Style};
use crate::cell::{Cell, Column, ColumnKind};
use crate::totals::major;
use tieout_model::money::{Currency, Minor};

/// The largest sum that a number of a workbook holds exactly.
const MAX_EXACT: u128 = 999_999_999_999_999;

/// The sums of a table so far.
pub(super) struct Totals {
    /// The positions of the columns that are added up.
    columns: Vec<usize>,
    /// In the order in which the currencies first occurred.
    by_currency: Vec<(Currency, Sums)>,
}

struct Sums {
    /// One for each of the columns; `None` while no row had an amount.
    sums: Vec<Option<i128>>,
    is_partial: bool,
}

impl Totals {
    /// Empty totals of a table with these columns.
    pub(super) fn of(columns: &[Column]) -> Self {
        let is_added = |column: &Column| column.kind == ColumnKind::Amount && column.adds_up;
        let added = columns.iter().enumerate().filter(|(_, column)| is_added(column));
        Self { columns: added.map(|(position, _)| position).collect(), by_currency: Vec::new() }
    }

    /// Adds the amounts of a row.
    pub(super) fn add(&mut self, cells: &[Cell<'_>]) {
        for (at, position) in self.columns.iter().enumerate() {
            let Some(Cell::Amount(amount, Some(currency))) = cells.get(*position) else { continue };
            let known = self.by_currency.iter().position(|(code, _)| code == currency);
            let known = known.unwrap_or_else(|| {
                let sums = Sums { sums: vec![None; self.columns.len()], is_partial: false };
                self.by_currency.push((*currency, sums));
                self.by_currency.len() - 1
            });
            let sums = &mut self.by_currency[known].1;
            match amount {
                // Amounts have 64 bits: no number of rows of a sheet overflows the sum.
                Some(Minor(amount)) => {
                    sums.sums[at] = Some(sums.sums[at].unwrap_or(0) + i128::from(*amount));
                }
                None => sums.is_partial = true,
            }
        }
    }

    /// Writes a row for each currency, beginning at `row`; returns the last one.
    pub(super) fn write(
        &mut self,
        sheet: &mut Sheet,
        row: u32,
        widths: &mut [u16],
    ) -> io::Result<Option<u32>> {
        self.by_currency.retain(|(_, sums)| sums.sums.iter().any(Option::is_some));
        self.by_currency.sort_by_key(|(currency, _)| currency.code());
        let mut last = None;
        for (row, (currency, sums)) in (row..).zip(&self.by_currency) {
            last = Some(row);
            sheet.begin_row(row);
            sheet.text(0, &format!("Total {}", currency.code()), styles::TOTAL);
            // No table has amounts in its first two columns.
            if sums.is_partial {
                sheet.text(1, "of known amounts", styles::TOTAL);
            }
            for (position, sum) in self.columns.iter().zip(&sums.sums) {
                let Some(sum) = sum else { continue };
                let width = write_sum(sheet, *position, *sum, *currency);
                widths[*position] = widths[*position].max(width);
            }
            sheet.end_row(None, false)?;
        }
        Ok(last)
    }
}

fn write_sum(sheet: &mut Sheet, column: usize, sum: i128, currency: Currency) -> u16 {
    let text = major(sum, currency);
    if sum.unsigned_abs() <= MAX_EXACT {
        sheet.number(column, &text, Style::total(currency.exponent() as usize));
    } else {
        sheet.text(column, &text, styles::TOTAL);
    }
    // Bold figures are wider.
    width_of_number(&text) + 1
}
