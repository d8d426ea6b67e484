//! The roll-forward of open differences in money: a line for each merchant and currency of a date
//! or a period.

use maud::{Markup, html};

use super::state::{MAX_LINES, rest};
use super::table::{Cell, Head, Row, figure, table, text};
use tieout_model::money::{Currency, Minor};
use tieout_model::{MerchantId, MerchantPeriodRow, RollAmounts, SummaryRow};

/// The content of a line, of a date or of a period.
pub(super) struct Line<'row> {
    merchant_id: &'row MerchantId,
    merchant_name: &'row str,
    currency: Option<Currency>,
    is_any: bool,
    roll: RollAmounts,
    closing: Option<Minor>,
}

impl<'row> From<&'row SummaryRow> for Line<'row> {
    fn from(row: &'row SummaryRow) -> Self {
        Self {
            merchant_id: &row.merchant_id,
            merchant_name: &row.merchant_name,
            currency: row.currency,
            is_any: row.opening > 0 || row.new > 0 || row.closing > 0,
            roll: row.roll(),
            closing: row.closing_amount,
        }
    }
}

impl<'row> From<&'row MerchantPeriodRow> for Line<'row> {
    fn from(row: &'row MerchantPeriodRow) -> Self {
        Self {
            merchant_id: &row.merchant_id,
            merchant_name: &row.merchant_name,
            currency: row.currency,
            is_any: row.opening > 0 || row.new > 0 || row.closing > 0,
            roll: row.roll,
            closing: row.closing_amount,
        }
    }
}

/// The table; `file` names the CSV file with the omitted lines.
pub(super) fn roll_forward<'row>(lines: impl Iterator<Item = Line<'row>>, file: &str) -> Markup {
    const HEADS: [Head; 7] = [
        text("Merchant"),
        figure("Opening"),
        figure("+ new"),
        figure("− cleared"),
        figure("− accepted"),
        figure("± changed"),
        figure("= closing"),
    ];
    let shown: Vec<Line<'_>> = lines.filter(|line| line.is_any).collect();
    if shown.is_empty() {
        return Markup::default();
    }
    let rows = shown.iter().take(MAX_LINES).map(|line| {
        let amount = |amount| Cell::amount(amount, line.currency);
        let cells: [Cell; 7] = [
            Cell::merchant(line.merchant_id, line.merchant_name),
            amount(line.roll.opening),
            amount(line.roll.new),
            amount(line.roll.cleared),
            amount(line.roll.accepted),
            amount(line.roll.changed),
            amount(line.closing),
        ];
        Row { class: None, found: None, cells }
    });
    html! {
        (table("cards money-roll", "Open differences in money, without their signs", &HEADS, rows))
        (rest(shown.len(), file))
    }
}
