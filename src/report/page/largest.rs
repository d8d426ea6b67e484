//! The largest open differences: what to look at first, whichever check found it.

use std::cmp::Reverse;

use chrono::NaiveDate;
use maud::{Markup, html};

use super::markup::{Text, foreign, money, paragraph};
use super::shell::section;
use super::table::{Cell, Head, figure, merchant, table, text};
use super::words;
use crate::model::{Discrepancy, Severity};
use crate::money::Currency;
use crate::report::totals::{absolute_difference, is_open};

/// How many are shown.
const SHOWN: usize = 10;

/// The largest open errors and warnings.
pub(super) fn largest(rows: &[Discrepancy], end: NaiveDate) -> Markup {
    const HEADS: [Head; 5] = [
        text("What is open"),
        figure("Difference"),
        text("Since"),
        text("What happened"),
        text("What to do"),
    ];
    let shown = ranked(rows, end);
    if shown.is_empty() {
        return Markup::default();
    }
    let lines = shown.iter().map(|(row, amount, currency)| {
        let title = html! {
            a href={ "#" (Text(&row.discrepancy_id)) } { (Text(&words::title_of(&row.code))) }
            p.means { (merchant(&row.merchant_id, &row.merchant_name)) }
        };
        [
            title.into(),
            Cell::keyed(Some(amount.to_string()), money(*amount, *currency)),
            Cell::date(Some(row.first_seen)),
            foreign(&row.explanation).into(),
            foreign(&row.action).into(),
        ]
    });
    let content = html! {
        (table("cards first", "The largest open differences, whatever their currency", &HEADS, lines))
        (paragraph("note", &"One cause can show in several checks: its other lines name the same \
                             deposit, batch or record."))
    };
    section("largest", "What to look at first", &content)
}

/// By the number of whole units, the largest first; nothing is converted.
fn ranked(rows: &[Discrepancy], end: NaiveDate) -> Vec<(&Discrepancy, i128, Currency)> {
    let open = rows.iter().filter(|row| is_open(row, end) && row.severity >= Severity::Warning);
    let amounts = open.filter_map(|row| {
        let (amount, currency) = absolute_difference(row).zip(row.currency)?;
        (amount.0 != 0).then_some((row, i128::from(amount.0), currency))
    });
    let mut ranked: Vec<_> = amounts.collect();
    // In parts of a unit that every currency can be counted in.
    let size = |amount: i128, currency: Currency| {
        amount.saturating_mul(10_i128.pow(4_u32.saturating_sub(currency.exponent())))
    };
    ranked.sort_by_key(|one| (Reverse(size(one.1, one.2)), one.0.discrepancy_id.as_str()));
    ranked.truncate(SHOWN);
    ranked
}
