//! What to look at first: the causes of what is open, each with all findings that it explains and one
//! total.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use maud::{Markup, html};

use super::markup::{Text, foreign, money, paragraph};
use super::shell::section;
use super::table::{Cell, Head, figure, merchant, money_key, table, text};
use super::words::{self, counted};
use crate::causes::Cause;
use tieout_model::{Discrepancy, ReportedChecks, Severity};

/// How many are shown.
const SHOWN: usize = 10;
/// Steps at the top of the page, each of another currency.
const STEPS: usize = 4;

/// What to look at first, of every currency something.
pub(super) fn largest(causes: &[Cause<'_>], checks: &ReportedChecks) -> Markup {
    const HEADS: [Head; 5] =
        [text("Cause"), figure("Money"), text("Since"), text("What happened"), text("What to do")];
    if causes.is_empty() {
        return Markup::default();
    }
    let shown = chosen(causes, checks, SHOWN);
    let lines = shown.iter().map(|cause| {
        let row = cause.lead;
        let money = match cause.total() {
            Some((amount, currency)) => html! {
                (cause.part(checks).name()) br; (money(amount, currency))
            },
            None if cause.is_setup(checks) => html! { "not known while the set-up is wrong" },
            None => html! { "no amount" },
        };
        [
            title(cause).into(),
            Cell::keyed(cause.total().map(|(amount, currency)| money_key(amount, currency)), money),
            Cell::date(cause.findings().map(|row| row.first_seen).min()),
            foreign(&row.explanation).into(),
            foreign(&row.action).into(),
        ]
    });
    let content = html! {
        (table(
            "cards first",
            "The set-up first, then errors before warnings, each currency by amount",
            &HEADS,
            lines,
        ))
        (paragraph("note", &format!(
            "{} of {}. Findings stand under one cause when they name the same record and state the \
             same amount, or amounts that add up to it; the money of a cause is its largest \
             difference, once. Amounts of different currencies are not compared.",
            counted(shown.len() as u64, "cause is shown", "causes are shown"),
            causes.len()
        )))
    };
    section("largest", "What to look at first", &content)
}

/// The first of each kind and currency, then the second of each, and so on; in their order.
fn chosen<'c, 'a>(
    causes: &'c [Cause<'a>],
    checks: &ReportedChecks,
    limit: usize,
) -> Vec<&'c Cause<'a>> {
    let mut ranks: BTreeMap<(bool, Severity, &str), usize> = BTreeMap::new();
    let mut ranked: Vec<_> = causes
        .iter()
        .enumerate()
        .map(|(position, cause)| {
            let is_setup = cause.is_setup(checks);
            let code = cause.total().map_or("", |(_, currency)| currency.code());
            let rank = ranks.entry((is_setup, cause.severity(), code)).or_default();
            *rank += 1;
            (!is_setup, Reverse(cause.severity()), code.is_empty(), *rank, position)
        })
        .collect();
    ranked.sort_unstable();
    let mut chosen: Vec<usize> = ranked.into_iter().take(limit).map(|one| one.4).collect();
    chosen.sort_unstable();
    chosen.into_iter().filter_map(|position| causes.get(position)).collect()
}

fn title(cause: &Cause<'_>) -> Markup {
    let row = cause.lead;
    html! {
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
    }
}

/// The name of a finding's check, as a link to its row.
fn link(row: &Discrepancy) -> Markup {
    html! {
        a href={ "#" (Text(&row.discrepancy_id)) } { (Text(&words::title_of(&row.code))) }
    }
}

/// The first steps, for the top of the page: of each currency what to look at first, and of what has
/// no amount. The set-up comes first while it is wrong, and hides the money of no other currency.
pub(super) fn first_step(causes: &[Cause<'_>]) -> Markup {
    let mut codes: Vec<Option<&str>> = Vec::new();
    let of_each = causes.iter().filter(|cause| {
        let code = cause.total().map(|(_, currency)| currency.code());
        let is_another = !codes.contains(&code);
        codes.push(code);
        is_another
    });
    html! {
        @for cause in of_each.take(STEPS) {
            p.step {
                b { "First" @if let Some((_, currency)) = cause.total() { " in " (currency.code()) } ":" } " " (link(cause.lead)) " of "
                (merchant(&cause.lead.merchant_id, &cause.lead.merchant_name))
                @if let Some((amount, currency)) = cause.total() { ", " (money(amount, currency)) }
                ". " (foreign(&cause.lead.action))
            } "\n"
        }
    }
}
