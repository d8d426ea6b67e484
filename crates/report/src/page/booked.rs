//! The number of a date's deposits that are booked, and the reasons for the others.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::markup::{count, paragraph, sums};
use super::shell::section;
use super::table::{Cell, Head, figure, table, text};
use super::words::{counted, list};
use crate::DateReport;
use crate::totals::Sums;
use tieout_model::{DepositId, DepositRow, NotEvaluated, Verdict, is_on_the_way};

/// Why a deposit of the date is not booked on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NotBooked {
    InQuestion,
    NotEvaluated,
    NotConfigured,
    NotDue,
    Unknown,
    Accepted,
}

impl NotBooked {
    /// The first reason that applies, in the order in which the journal checks them. A merchant
    /// that is not configured has no checks, so none of them is listed as not evaluated.
    fn of(row: &DepositRow, not_evaluated: &[NotEvaluated]) -> Self {
        let concerns =
            |one: &NotEvaluated| one.merchant_id.is_empty() || one.merchant_id == row.merchant_id;
        let is_unknown = row.currency.is_none()
            || [
                row.net_amount,
                row.daily_fees,
                row.held_sales,
                row.ach_adjustment,
                row.holdback,
                row.reserve_release,
            ]
            .contains(&None);
        match row.verdict {
            Verdict::NotEvaluated if not_evaluated.iter().any(concerns) => Self::NotEvaluated,
            Verdict::NotEvaluated => Self::NotConfigured,
            Verdict::Discrepancy => Self::InQuestion,
            _ if is_on_the_way(&row.bank_verdict) => Self::NotDue,
            _ if is_unknown => Self::Unknown,
            _ => Self::Accepted,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::InQuestion => "in question",
            Self::NotEvaluated => "not evaluated",
            Self::NotConfigured => "of a merchant that is not configured",
            Self::NotDue => "not due at the bank yet",
            Self::Unknown => "an amount is not known",
            Self::Accepted => "accepted, to be booked by hand",
        }
    }

    fn until(self) -> &'static str {
        match self {
            Self::InQuestion => "once its discrepancy is cleared",
            Self::NotEvaluated => "once this date is run again with the missing listings or files",
            Self::NotConfigured => "once the merchant is configured and this date is run again",
            Self::NotDue => "on the date on which the statement shows it",
            Self::Unknown => "once the processor states it",
            Self::Accepted => "never by itself",
        }
    }
}

/// The section; empty if no accounts are configured.
pub(super) fn booked(report: &DateReport<'_>) -> Markup {
    const HEADS: [Head; 4] = [
        text("Not booked, as it is"),
        figure("Deposits"),
        figure("Net amount"),
        text("It is booked"),
    ];
    if report.accounts.is_none() {
        return Markup::default();
    }
    let posted: BTreeSet<DepositId> =
        report.journal.iter().map(|entry| entry.ach_deposit_id).collect();
    let not_evaluated = &report.run.checks.not_evaluated;
    let mut waiting: BTreeMap<NotBooked, (u64, Sums)> = BTreeMap::new();
    for row in report.deposits.iter().filter(|row| !posted.contains(&row.ach_deposit_id)) {
        let (number, amounts) = waiting.entry(NotBooked::of(row, not_evaluated)).or_default();
        *number += 1;
        amounts.add(row.net_amount, row.currency);
    }
    let all = report.deposits.len() as u64;
    let not: u64 = waiting.values().map(|one| one.0).sum();
    let own: BTreeSet<DepositId> = report.deposits.iter().map(|row| row.ach_deposit_id).collect();
    let earlier = posted.difference(&own).count() as u64;
    let lines = waiting.iter().map(|(why, (number, amounts))| {
        [
            Cell::words(why.words()),
            count(*number).into(),
            sums(amounts).into(),
            Cell::words(why.until()),
        ]
    });
    let content = html! {
        p { (sentence(all, not, &waiting)) } "\n"
        @if !waiting.is_empty() {
            (table("plain", "Deposits of this date that are not booked", &HEADS, lines))
        }
        @if earlier > 0 {
            (paragraph("note", &format!(
                "{} booked on this date as well: journal.csv has every entry.",
                counted(earlier, "deposit of an earlier date is", "deposits of earlier dates are")
            )))
        }
    };
    section("journal", "Booked", &content)
}

fn sentence(all: u64, not: u64, waiting: &BTreeMap<NotBooked, (u64, Sums)>) -> String {
    if all == 0 {
        return "No deposit was paid on this date.".to_owned();
    }
    let booked = all.saturating_sub(not);
    let of = counted(all, "deposit", "deposits");
    if waiting.is_empty() {
        return format!("Booked {booked} of {of}.");
    }
    let why: Vec<String> =
        waiting.iter().map(|(why, (number, _))| format!("{number} {}", why.words())).collect();
    format!("Booked {booked} of {of}; {not} not: {}.", list(&why))
}
