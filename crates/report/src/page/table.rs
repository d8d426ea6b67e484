//! Tables of a page: headers with a scope, a caption for screen readers, and cells with their
//! header's name, so that a narrow screen can show a row as a card.

use std::fmt::Display;

use chrono::NaiveDate;
use maud::{Markup, html};

use super::markup::{Text, count, foreign, money, number, unknown};
use super::words::Mark;
use tieout_model::MerchantId;
use tieout_model::money::{Currency, Minor};

/// A column: its header, and whether it holds figures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub name: &'static str,
    pub is_figure: bool,
}

impl Head {
    fn class(self) -> &'static str {
        if self.is_figure { "figure" } else { "words" }
    }
}

/// A column of text.
pub(super) const fn text(name: &'static str) -> Head {
    Head { name, is_figure: false }
}

/// A column of figures.
pub(super) const fn figure(name: &'static str) -> Head {
    Head { name, is_figure: true }
}

/// A cell: its content, and its sort key if that is not its text.
pub(super) struct Cell {
    key: Option<String>,
    shown: Markup,
}

impl Cell {
    /// Shows `shown` and is sorted by `key`.
    pub fn keyed(key: Option<String>, shown: Markup) -> Self {
        Self { key, shown }
    }

    /// Fixed words of the program.
    pub fn words(words: &str) -> Self {
        html! { (words) }.into()
    }

    /// Text from outside.
    pub fn foreign(text: &str) -> Self {
        foreign(text).into()
    }

    /// A date, which is never broken over lines; empty without one.
    pub fn date(date: Option<NaiveDate>) -> Self {
        html! { @if let Some(date) = date { time { (date) } } }.into()
    }

    /// A number.
    pub fn count(number: impl Into<i128>) -> Self {
        let number = number.into();
        Self::keyed(Some(number.to_string()), count(number))
    }

    /// A number that may be unknown, with decimals or without.
    pub fn number(plain: Option<String>) -> Self {
        let shown = plain.as_deref().map_or_else(unknown, number);
        Self::keyed(plain, shown)
    }

    /// An amount that may be unknown.
    pub fn amount(amount: Option<Minor>, currency: Option<Currency>) -> Self {
        let shown = match amount.zip(currency) {
            Some((amount, currency)) => money(i128::from(amount.0), currency),
            None => unknown(),
        };
        let key = amount.zip(currency).map(|(amount, currency)| money_key(amount.0, currency));
        Self::keyed(key, shown)
    }

    /// A mark.
    pub fn mark(mark: Mark) -> Self {
        badge(mark).into()
    }

    /// A merchant by name and id.
    pub fn merchant(id: &MerchantId, name: &str) -> Self {
        merchant(id, name).into()
    }
}

impl From<Markup> for Cell {
    fn from(shown: Markup) -> Self {
        Self { key: None, shown }
    }
}

/// A row: a cell for each column, and its attributes for the style and the script.
pub(super) struct Row<'a, const COLUMNS: usize> {
    pub class: Option<&'static str>,
    pub found: Option<Found<'a>>,
    pub cells: [Cell; COLUMNS],
}

/// The fields that the filter of the page uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<'a> {
    pub id: &'a str,
    pub status: &'static str,
    pub merchant: &'a MerchantId,
}

impl<const COLUMNS: usize> From<[Cell; COLUMNS]> for Row<'_, COLUMNS> {
    fn from(cells: [Cell; COLUMNS]) -> Self {
        Self { class: None, found: None, cells }
    }
}

/// The sort key of money, within its currency alone.
pub(super) fn money_key(amount: impl Display, currency: Currency) -> String {
    format!("{}:{amount}", currency.code())
}

/// A table with its caption; `class` names its style.
pub(super) fn table<'a, const COLUMNS: usize>(
    class: &str,
    caption: &str,
    heads: &[Head; COLUMNS],
    rows: impl IntoIterator<Item = impl Into<Row<'a, COLUMNS>>>,
) -> Markup {
    html! {
        // A wide table scrolls in a region of its own, which the keyboard can reach.
        div.scroll tabindex="0" role="region" aria-label=(caption) {
            table class=(class) {
                caption { (caption) } "\n"
                thead { tr {
                    @for head in heads { th scope="col" class=(head.class()) { (head.name) } }
                } } "\n"
                tbody { @for one in rows { (row(heads, &one.into())) } }
            }
        }
        "\n"
    }
}

fn row<const COLUMNS: usize>(heads: &[Head; COLUMNS], row: &Row<'_, COLUMNS>) -> Markup {
    html! {
        tr class=[row.class]
            id=[row.found.map(|found| Text(found.id))]
            data-status=[row.found.map(|found| found.status)]
            data-merchant=[row.found.map(|found| Text(found.merchant.as_str()))] {
            @for (position, (head, cell)) in heads.iter().zip(&row.cells).enumerate() {
                // The first column names the row. The block keeps the content of a cell together
                // beside its header's name.
                @if position == 0 {
                    th class=(head.class()) data-head=(head.name) scope="row" data-key=[&cell.key] {
                        div { (cell.shown) }
                    }
                } @else {
                    td class=(head.class()) data-head=(head.name) data-key=[&cell.key] {
                        div { (cell.shown) }
                    }
                }
                "\n"
            }
        }
        "\n"
    }
}

/// A sign, a colour and a word with the same meaning.
pub(super) fn badge(mark: Mark) -> Markup {
    html! {
        span class={ "badge " (mark.class) } {
            span aria-hidden="true" { (mark.sign) } " " (mark.word)
        }
    }
}

/// A merchant: name and id, or the id alone.
pub(super) fn merchant(id: &MerchantId, name: &str) -> Markup {
    html! {
        @if !name.is_empty() { (foreign(name)) " " }
        span.id { (foreign(id.as_str())) }
    }
}
