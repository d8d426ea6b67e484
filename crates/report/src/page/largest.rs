//! The causes to look at first: each with all findings that it explains and one total.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use maud::{Markup, html};

use super::markup::{Text, foreign, money, paragraph};
use super::shell::section;
use super::table::{Cell, Head, figure, merchant, money_key, table, text};
use super::words::{self, counted};
use crate::causes::Cause;
use tieout_model::money::Currency;
use tieout_model::{Discrepancy, ReportedChecks, Severity};

/// Maximum number of causes shown.
const SHOWN: usize = 10;
/// Maximum number of steps at the top of the page.
const STEPS: usize = 5;

/// The causes to look at first, with at least one of every currency.
pub(super) fn largest(causes: &[Cause<'_>], checks: &ReportedChecks) -> Markup {
    const HEADS: [Head; 5] = [
        text("Cause"),
        figure("Money"),
        text("First reported"),
        text("Explanation"),
        text("Next step"),
    ];
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
            html! {
                (foreign(&row.action))
                @if !row.assigned.is_none() {
                    p.means { "Assigned: " (foreign(&row.assigned.in_words())) }
                }
            }
            .into(),
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
            "{} of {}. Findings have one cause when they name the same record and state the same \
             amount, or amounts that add up to it; the money of a cause is its largest \
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

/// The first steps, for the top of the page: for each currency the first cause, and also its
/// largest if that is another one; then causes without an amount. The set-up comes first while it
/// is wrong, and hides the money of no other currency.
pub(super) fn first_step(causes: &[Cause<'_>]) -> Markup {
    let mut steps: Vec<(&'static str, Option<Currency>, &Cause<'_>)> = Vec::new();
    for cause in causes {
        let currency = cause.total().map(|(_, currency)| currency);
        let own = causes.iter().filter(|one| one.total().map(|of| of.1) == currency);
        let largest = own.max_by_key(|one| one.total().map(|(amount, _)| amount));
        if steps.iter().all(|step| step.1 != currency) {
            steps.push(("First", currency, cause));
            let is_another = |one: &&Cause<'_>| one.total() > cause.total();
            steps.extend(largest.filter(is_another).map(|one| ("Largest", currency, one)));
        }
    }
    html! {
        @for (rank, currency, cause) in steps.into_iter().take(STEPS) {
            p.step {
                b { (rank) @if let Some(currency) = currency { " in " (currency.code()) } ":" } " "
                (link(cause.lead)) " of " (merchant(&cause.lead.merchant_id, &cause.lead.merchant_name))
                @if let Some((amount, currency)) = cause.total() { ", " (money(amount, currency)) }
                ". " span.do { (foreign(&cause.lead.action)) }
            } "\n"
        }
    }
}
