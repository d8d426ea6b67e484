//! The ageing of the open discrepancies: how many and how much by age, and the money of each merchant.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use maud::{Markup, html};

use super::chart::{Scale, Tone, bar};
use super::markup::{count, money, sums};
use super::shell::section;
use super::state::{MAX_LINES, rest};
use super::table::{Cell, Head, figure, money_key, table, text};
use crate::totals::{Tally, absolute_difference, is_open};
use tieout_model::money::Currency;
use tieout_model::{AGES, Discrepancy, MerchantId, age_class};

/// The section.
pub(super) fn ageing(rows: &[Discrepancy], end: NaiveDate) -> Markup {
    let open: Vec<&Discrepancy> = rows.iter().filter(|row| is_open(row, end)).collect();
    let content = html! {
        @if open.is_empty() {
            p { "Nothing is open." } "\n"
        } @else {
            (by_age(&open))
            (by_merchant(&open))
        }
    };
    section("ageing", "Ageing", &content)
}

fn by_age(open: &[&Discrepancy]) -> Markup {
    const HEADS: [Head; 4] = [text("Age"), figure("Open"), figure("Differences"), text("Picture")];
    let mut ages: [Tally; AGES.len()] = Default::default();
    for row in open {
        ages[age_class(row.age_days)].add(row);
    }
    let scale = Scale::of(ages.iter().map(|tally| i128::from(tally.count)));
    let lines = AGES.iter().zip(&ages).map(|((_, name, _), tally)| {
        [
            Cell::words(name),
            count(tally.count).into(),
            sums(&tally.differences).into(),
            bar(scale, (0, i128::from(tally.count)), Tone::Plain).into(),
        ]
    });
    table("ageing", "Open discrepancies by age in banking days", &HEADS, lines)
}

/// A merchant's differences in one currency, by age.
type Line<'a> = (&'a Discrepancy, Currency, [i128; AGES.len()]);

fn by_merchant(open: &[&Discrepancy]) -> Markup {
    const HEADS: [Head; AGES.len() + 2] = [
        text("Merchant"),
        figure(AGES[0].1),
        figure(AGES[1].1),
        figure(AGES[2].1),
        figure(AGES[3].1),
        figure(AGES[4].1),
        figure(AGES[5].1),
        figure("All"),
    ];
    let mut lines: BTreeMap<(&MerchantId, &str), Line<'_>> = BTreeMap::new();
    for row in open {
        let Some((amount, currency)) = absolute_difference(row).zip(row.currency) else { continue };
        let line = lines.entry((&row.merchant_id, currency.code()));
        let (_, _, sums) = line.or_insert((row, currency, [0; AGES.len()]));
        sums[age_class(row.age_days)] += i128::from(amount.0);
    }
    if lines.is_empty() {
        return Markup::default();
    }
    let rows = lines.values().take(MAX_LINES).map(|(row, currency, sums)| {
        let mut cells: Vec<Cell> = vec![Cell::merchant(&row.merchant_id, &row.merchant_name)];
        let all = sums.iter().sum::<i128>();
        cells.extend(sums.iter().chain([&all]).map(|sum| amount(*sum, *currency)));
        let mut cells = cells.into_iter();
        std::array::from_fn::<Cell, { AGES.len() + 2 }, _>(|_| {
            cells.next().unwrap_or_else(|| Markup::default().into())
        })
    });
    html! {
        (table("cards sortable byage", "Open differences of each merchant by age in banking days", &HEADS, rows))
        (rest(lines.len(), "discrepancies.csv"))
    }
}

/// A dash for a sum of zero.
fn amount(sum: i128, currency: Currency) -> Cell {
    let shown = if sum == 0 {
        html! { "–" }
    } else {
        money(sum, currency)
    };
    Cell::keyed(Some(money_key(sum, currency)), shown)
}
