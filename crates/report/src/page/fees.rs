//! The fees of a period as a share of sales, with their trend, and the reserve held back.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::markup::{money, number, paragraph, unknown};
use super::shell::section;
use super::state::{MAX_LINES, rest};
use super::table::{Cell, Head, figure, table, text};
use super::words::counted;
use crate::PeriodReport;
use crate::cell::rate_hundredths;
use tieout_config::ComponentSigns;
use tieout_model::money::{Currency, Minor, format_minor};
use tieout_model::{DepositRow, FeeRateRow, MerchantId};

/// The section about fees and the reserve.
pub(super) fn fees(report: &PeriodReport) -> Markup {
    let content = html! {
        @if report.fee_rates.is_empty() {
            p { "No deposit was paid." } "\n"
        } @else {
            (rates(&report.fee_rates))
            (reserve(&report.deposits, &report.signs))
        }
    };
    section("fees", "Fees and reserve", &content)
}

fn rates(rows: &[FeeRateRow]) -> Markup {
    const HEADS: [Head; 7] = [
        text("Merchant"),
        text("Month"),
        figure("Deposits"),
        figure("Sales"),
        figure("Fees"),
        figure("Rate in percent"),
        figure("Change"),
    ];
    let lines = rows.iter().enumerate().take(MAX_LINES).map(|(position, row)| {
        // The previous row has the previous month of the same merchant and currency.
        let before = position.checked_sub(1).map(|before| &rows[before]);
        let before = before.filter(|before| {
            before.merchant_id == row.merchant_id && before.currency == row.currency
        });
        [
            Cell::merchant(&row.merchant_id, &row.merchant_name),
            Cell::words(&row.month),
            Cell::count(row.deposits),
            Cell::amount(row.sales, row.currency),
            Cell::amount(row.fees, row.currency),
            percent(rate(row)),
            before
                .map_or_else(|| Markup::default().into(), |before| change(rate(before), rate(row))),
        ]
    });
    html! {
        (table("cards sortable", RATES, &HEADS, lines))
        (rest(rows.len(), "fee_rates.csv"))
        (paragraph("note", &"By month of payment, of the deposits of this period. The change is in \
                             percentage points, from the month before in this period."))
    }
}

fn rate(row: &FeeRateRow) -> Option<i64> {
    rate_hundredths(row.fees.map(|fees| fees.0), row.sales.map(|sales| sales.0))
}

fn percent(hundredths: Option<i64>) -> Cell {
    match hundredths {
        Some(rate) => Cell::number(Some(format_minor(Minor(rate), 2))),
        None => html! { "–" }.into(),
    }
}

fn change(before: Option<i64>, now: Option<i64>) -> Cell {
    let Some((before, now)) = before.zip(now) else { return unknown().into() };
    let points = now - before;
    let plain = format_minor(Minor(points), 2);
    let plus = if points > 0 { "+" } else { "" };
    Cell::keyed(Some(plain.clone()), html! { (plus) (number(&plain)) })
}

/// The reserve that deposits of one merchant and currency held and released, with the sign it has
/// in them.
#[derive(Clone, Copy, Debug, Default)]
struct Reserve {
    held: i128,
    released: i128,
}

const RESERVE: &str = "Reserve that deposits of the period held back and released";
const RATES: &str = "Fees that deposits deducted, of the sales that they pay";

fn reserve(deposits: &[DepositRow], signs: &ComponentSigns) -> Markup {
    const HEADS: [Head; 4] =
        [text("Merchant"), figure("Held"), figure("Released"), figure("More held at the end")];
    let mut left_out = 0;
    let mut lines: BTreeMap<(&MerchantId, &str), (&DepositRow, Currency, Reserve)> =
        BTreeMap::new();
    for row in deposits {
        let Some(((held, released), currency)) = kept(row, signs).zip(row.currency) else {
            left_out += 1;
            continue;
        };
        if held == 0 && released == 0 {
            continue;
        }
        let line = lines.entry((&row.merchant_id, currency.code()));
        let (_, _, sum) = line.or_insert((row, currency, Reserve::default()));
        sum.held += held;
        sum.released += released;
    }
    let rows = lines.values().take(MAX_LINES).map(|(row, currency, sum)| {
        [
            Cell::merchant(&row.merchant_id, &row.merchant_name),
            money(sum.held, *currency).into(),
            money(sum.released, *currency).into(),
            money(sum.held - sum.released, *currency).into(),
        ]
    });
    html! {
        @if lines.is_empty() {
            p { "No deposit is known to have held anything back, or to have released it." } "\n"
        } @else {
            (table("cards", RESERVE, &HEADS, rows))
            (rest(lines.len(), "deposits.csv"))
        }
        @if left_out > 0 {
            (paragraph("note", &format!(
                "Left out: {} that state no holdback, held sales, release or currency.",
                counted(left_out, "deposit", "deposits")
            )))
        }
    }
}

/// The amounts that a deposit held and released; `None` if it leaves one of them out.
fn kept(row: &DepositRow, signs: &ComponentSigns) -> Option<(i128, i128)> {
    let signed = |amount: Option<Minor>, sign: i64| Some(i128::from(amount?.0) * i128::from(sign));
    let holdback = signed(row.holdback, signs.holdback)?;
    let held_sales = signed(row.held_sales, signs.held_sales)?;
    Some((-holdback - held_sales, signed(row.reserve_release, signs.reserve_release)?))
}
