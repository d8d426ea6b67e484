//! What to look at first: the largest causes of what is open, each with all findings that it
//! explains and one total.

use maud::{Markup, html};

use super::markup::{Text, foreign, money, paragraph};
use super::shell::section;
use super::table::{Cell, Head, figure, merchant, table, text};
use super::words::{self, counted};
use crate::causes::Cause;
use tieout_model::Discrepancy;

/// How many are shown.
const SHOWN: usize = 10;

/// The largest causes; those without an amount stand among the discrepancies alone.
pub(super) fn largest(causes: &[Cause<'_>]) -> Markup {
    const HEADS: [Head; 5] =
        [text("Cause"), figure("Money"), text("Since"), text("What happened"), text("What to do")];
    let with_money = causes.iter().filter_map(|cause| Some((cause, cause.total()?)));
    let shown: Vec<_> = with_money.take(SHOWN).collect();
    if shown.is_empty() {
        return Markup::default();
    }
    let of = causes.iter().filter(|cause| cause.total().is_some()).count();
    let lines = shown.iter().map(|(cause, (amount, currency))| {
        let row = cause.lead;
        let title = html! {
            (link(row))
            p.means { (merchant(&row.merchant_id, &row.merchant_name)) }
            @if !cause.others.is_empty() {
                p.means {
                    "also shown by: "
                    @for (position, other) in cause.others.iter().enumerate() {
                        @if position > 0 { ", " }
                        (link(other))
                    }
                }
            }
        };
        [
            title.into(),
            Cell::keyed(Some(amount.to_string()), money(*amount, *currency)),
            Cell::date(cause.findings().map(|row| row.first_seen).min()),
            foreign(&row.explanation).into(),
            foreign(&row.action).into(),
        ]
    });
    let content = html! {
        (table("cards first", "The largest causes, whatever their currency", &HEADS, lines))
        (paragraph("note", &format!(
            "{} of {}. Findings stand under one cause when they name the same record and state the \
             same amount, or amounts that add up to it; the money of a cause is its largest \
             difference, once.",
            counted(shown.len() as u64, "cause is shown", "causes are shown"), of
        )))
    };
    section("largest", "What to look at first", &content)
}

/// The name of a finding's check, as a link to its row.
fn link(row: &Discrepancy) -> Markup {
    html! {
        a href={ "#" (Text(&row.discrepancy_id)) } { (Text(&words::title_of(&row.code))) }
    }
}

/// The first step, for the top of the page: the largest cause, and what to do about it.
pub(super) fn first_step(causes: &[Cause<'_>]) -> Markup {
    let Some(cause) = causes.first() else { return Markup::default() };
    let row = cause.lead;
    html! {
        p.step {
            b { "First:" } " " (link(row)) " of " (merchant(&row.merchant_id, &row.merchant_name))
            @if let Some((amount, currency)) = cause.total() { ", " (money(amount, currency)) }
            ". " (foreign(&row.action))
        } "\n"
    }
}
