//! The bridge of each bank and currency of a period: from the deposits paid to the processor's
//! lines on the statements, each step with its rows.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::markup::{count, foreign, money, paragraph};
use super::shell::section;
use super::table::{Cell, Head, Row, figure, table, text};
use super::words::counted;
use crate::PeriodReport;
use tieout_model::money::Currency;
use tieout_model::{BankBridgeRow, BridgeStep};

/// Maximum number of rows of a step on the page; `bank_bridge.csv` has all.
const MAX_ROWS: usize = 50;

/// Rows of one bank and currency, by step.
type Steps<'a> = BTreeMap<BridgeStep, Vec<&'a BankBridgeRow>>;

/// A bridge that adds up.
type Closed<'a> = (&'a str, Currency, &'a Steps<'a>);

/// The section; empty if no merchant names a bank.
pub(super) fn bridges(report: &PeriodReport) -> Markup {
    let mut bridges: BTreeMap<(&str, &str), (Option<Currency>, Steps<'_>)> = BTreeMap::new();
    for row in &report.bank_bridge {
        let key = (row.bank.as_str(), row.currency.map_or("", Currency::code));
        let (_, steps) = bridges.entry(key).or_insert((row.currency, Steps::new()));
        steps.entry(row.step).or_default().push(row);
    }
    if bridges.is_empty() {
        return Markup::default();
    }
    let open: BTreeMap<&str, Vec<&BankBridgeRow>> =
        bridges.iter().fold(BTreeMap::new(), |mut open, ((bank, _), (_, steps))| {
            if let Some(rows) = steps.get(&BridgeStep::CannotBeClosed) {
                open.entry(bank).or_insert_with(Vec::new).extend(rows);
            }
            open
        });
    let closed: Vec<Closed<'_>> = bridges
        .iter()
        .filter(|((bank, _), _)| !open.contains_key(bank))
        .filter_map(|((bank, _), (currency, steps))| Some((*bank, (*currency)?, steps)))
        .collect();
    let content = html! {
        (paragraph("note", &format!(
            "The deposits of the processor, compared with its lines on the statements, as of {}. \
             bank_bridge.csv has every row.",
            report.last_reconciled
        )))
        @for (bank, rows) in &open { (cannot_be_closed(bank, rows)) }
        (overview(&closed))
        @for (number, (bank, currency, steps)) in closed.iter().enumerate() {
            @if steps.keys().any(|step| has_rows(*step)) {
                (one(number, bank, *currency, steps))
            }
        }
    };
    section("bridge", "From paid out to the bank", &content)
}

/// A bank with unread data: no figure is shown.
fn cannot_be_closed(bank: &str, rows: &[&BankBridgeRow]) -> Markup {
    let mut notes: Vec<&str> = rows.iter().map(|row| row.note.as_str()).collect();
    notes.dedup();
    html! {
        h3 { "Bank " (foreign(bank)) } "\n"
        p.caution {
            b { "The bridge cannot be closed:" } " "
            (counted(notes.len() as u64, "thing is", "things are")) " missing. Send the statements "
            "that are missing, run these dates again, and the report after them."
        } "\n"
        ul {
            @for note in notes.iter().take(MAX_ROWS) { li { (foreign(note)) } "\n" }
        } "\n"
        @if notes.len() > MAX_ROWS { (rest(notes.len())) }
    }
}

/// A line for each bank and currency.
fn overview(closed: &[Closed<'_>]) -> Markup {
    const HEADS: [Head; 8] = [
        text("Bank"),
        text("Currency"),
        figure("Paid in the period (net)"),
        figure("+ open at its start"),
        figure("− on the way at its end"),
        figure("− overdue"),
        figure("± lines and amounts that differ"),
        figure("= on the statements"),
    ];
    if closed.is_empty() {
        return Markup::default();
    }
    let lines = closed.iter().enumerate().map(|(number, (bank, currency, steps))| {
        let sum = |is_meant: &dyn Fn(BridgeStep) -> bool| {
            let rows = steps.iter().filter(|one| is_meant(*one.0)).flat_map(|one| one.1);
            let sum = rows.filter_map(|row| row.amount).map(|one| i128::from(one.0)).sum();
            Cell::from(money(sum, *currency))
        };
        let is_start = |step| {
            matches!(
                step,
                BridgeStep::OnTheWayAtStart
                    | BridgeStep::OverdueAtStart
                    | BridgeStep::CreditedBefore
            )
        };
        let is_named = |step| {
            is_start(step)
                || matches!(
                    step,
                    BridgeStep::Paid
                        | BridgeStep::OnTheWayAtEnd
                        | BridgeStep::OverdueAtEnd
                        | BridgeStep::Statement
                )
        };
        let has_details = steps.keys().any(|step| has_rows(*step));
        let bank = html! {
            @if has_details { a href={ "#bridge-" (number) } { (foreign(bank)) } }
            @else { (foreign(bank)) }
        };
        [
            bank.into(),
            Cell::words(currency.code()),
            sum(&|step| step == BridgeStep::Paid),
            sum(&is_start),
            sum(&|step| step == BridgeStep::OnTheWayAtEnd),
            sum(&|step| step == BridgeStep::OverdueAtEnd),
            sum(&|step| !is_named(step)),
            sum(&|step| step == BridgeStep::Statement),
        ]
    });
    table("cards", "From paid out to the statements, bank by bank", &HEADS, lines)
}

/// A step in words, with the sign of its amount first.
fn words(step: BridgeStep) -> &'static str {
    match step {
        BridgeStep::CannotBeClosed => "Cannot be closed",
        BridgeStep::Paid => "Deposits paid in the period (net)",
        BridgeStep::OnTheWayAtStart => "+ on the way to the bank at its start",
        BridgeStep::OverdueAtStart => "+ overdue at its start",
        BridgeStep::CreditedBefore => "− credited before the period",
        BridgeStep::OnTheWayAtEnd => "− on the way to the bank at its end",
        BridgeStep::OverdueAtEnd => "− overdue: not on the statements",
        BridgeStep::AmbiguousDeposit => "− deposits that fit in more ways than one",
        BridgeStep::Carried => "− amounts that later deposits took up or paid again",
        BridgeStep::AmountDiffers => "± the bank shows another amount",
        BridgeStep::Fees => "− fees that name no deposit",
        BridgeStep::UnexplainedLine => "+ lines that no deposit explains",
        BridgeStep::LineNotDue => "+ lines that need no deposit yet",
        BridgeStep::AmbiguousLine => "+ lines that fit in more ways than one",
        BridgeStep::TakenBack => "+ lines credited and debited again",
        BridgeStep::Statement => "= the processor's lines on the statements",
    }
}

fn one(number: usize, bank: &str, currency: Currency, steps: &Steps<'_>) -> Markup {
    const HEADS: [Head; 4] =
        [text("Step"), figure("Rows"), figure("Amount"), text("Which they are")];
    let empty = Vec::new();
    let rows_of = |step: BridgeStep| steps.get(&step).unwrap_or(&empty);
    let sum = |step: BridgeStep| -> i128 {
        rows_of(step).iter().filter_map(|row| row.amount).map(|one| i128::from(one.0)).sum()
    };
    let anchor = |step: BridgeStep| format!("bridge-{number}-{}", step.as_str().replace('_', "-"));
    let is_shown = |step: &&BridgeStep| {
        matches!(
            step,
            BridgeStep::Paid
                | BridgeStep::OnTheWayAtStart
                | BridgeStep::OnTheWayAtEnd
                | BridgeStep::OverdueAtEnd
                | BridgeStep::UnexplainedLine
                | BridgeStep::Statement
        ) || !rows_of(**step).is_empty()
    };
    let shown = BridgeStep::ALL.iter().skip(1).filter(is_shown);
    let lines = shown.map(|&step| Row {
        class: Some(match step {
            BridgeStep::Paid | BridgeStep::Statement => "whole",
            _ => "part",
        }),
        found: None,
        cells: [
            Cell::words(words(step)),
            count(rows_of(step).len() as u64).into(),
            money(sum(step), currency).into(),
            html! {
                @if has_rows(step) && !rows_of(step).is_empty() {
                    a href={ "#" (anchor(step)) } { "rows" }
                } @else if !rows_of(step).is_empty() {
                    "bank_bridge.csv, " (step.as_str())
                }
            }
            .into(),
        ],
    });
    let caption = format!("Bank {bank}, {}: from paid out to the statements", currency.code());
    html! {
        h3 id={ "bridge-" (number) } { "Bank " (foreign(bank)) ", " (currency.code()) } "\n"
        (table("plain bridge", &caption, &HEADS, lines))
        @for (step, rows) in steps.iter().filter(|one| has_rows(*one.0)) {
            div id=(anchor(*step)) { (behind(*step, bank, currency, rows)) }
        }
    }
}

/// Whether the page lists the rows of a step: rows as expected are in the file only.
fn has_rows(step: BridgeStep) -> bool {
    !matches!(step, BridgeStep::Paid | BridgeStep::Statement)
}

/// The rows behind a step.
fn behind(step: BridgeStep, bank: &str, currency: Currency, rows: &[&BankBridgeRow]) -> Markup {
    const HEADS: [Head; 6] = [
        text("Date"),
        text("Merchant"),
        text("Deposit"),
        figure("Amount"),
        text("Due"),
        text("On the statement"),
    ];
    let caption = format!("Bank {bank}, {}: {}", currency.code(), words(step));
    let lines = rows.iter().take(MAX_ROWS).map(|row| {
        let deposits = row.ach_deposit_id.replace(';', ", ");
        [
            Cell::date(row.date),
            Cell::merchant(&row.merchant_id, &row.merchant_name),
            Cell::foreign(&deposits),
            Cell::amount(row.amount, row.currency),
            Cell::date(row.due_date),
            html! { (foreign(&row.place)) @if !row.note.is_empty() { " " (foreign(&row.note)) } }
                .into(),
        ]
    });
    html! {
        (table("cards", &caption, &HEADS, lines))
        @if rows.len() > MAX_ROWS { (rest(rows.len())) }
    }
}

fn rest(all: usize) -> Markup {
    paragraph("note", &format!("The first {MAX_ROWS} of {all}; bank_bridge.csv has all."))
}
