//! The discrepancies: one line for each code with the action, then every discrepancy with its
//! figures and evidence. Of very many only the largest are shown, and a note names the CSV file for
//! the rest.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use maud::{Markup, html};

use super::markup::{Text, count, foreign, money, paragraph, sums};
use super::shell::section;
use super::table::{Cell, Found, Head, Row, badge, figure, money_key, table, text};
use super::words::{self, counted};
use crate::causes::Cause;
use crate::totals::{Tally, absolute_difference, is_open};
use tieout_model::money::{Currency, grouped};
use tieout_model::{Discrepancy, DiscrepancyStatus, Figure, MerchantId, ReportedChecks, Severity};

/// Maximum number of rows of one code: more make the page slow to open and too long to read.
const MAX_ROWS_OF_A_CODE: usize = 100;
/// Maximum number of rows of all codes together.
const MAX_ROWS: usize = 1_000;
/// Maximum number of ids of one kind in the evidence of a discrepancy.
const MAX_IDS: usize = 4;

/// Discrepancies of one code and severity.
pub(super) struct Group<'a> {
    pub code: &'a str,
    pub severity: Severity,
    /// New ones first, then the largest of each currency, the second of each, and so on.
    rows: Vec<&'a Discrepancy>,
    open: Tally,
    cleared: u64,
    /// The date on which the oldest open one was first seen.
    oldest: Option<NaiveDate>,
}

/// The groups as of `end`, the most severe first, then the largest groups.
pub(super) fn groups(rows: &[Discrepancy], end: NaiveDate) -> Vec<Group<'_>> {
    let mut by_code: BTreeMap<(Reverse<Severity>, &str), Group<'_>> = BTreeMap::new();
    for row in rows {
        let group = by_code.entry((Reverse(row.severity), &row.code)).or_insert_with(|| Group {
            code: &row.code,
            severity: row.severity,
            rows: Vec::new(),
            open: Tally::default(),
            cleared: 0,
            oldest: None,
        });
        if is_open(row, end) {
            group.oldest =
                Some(group.oldest.map_or(row.first_seen, |date| date.min(row.first_seen)));
            group.open.add(row);
        }
        group.cleared += u64::from(row.status == DiscrepancyStatus::Cleared);
        group.rows.push(row);
    }
    let mut groups: Vec<Group<'_>> = by_code.into_values().collect();
    for group in &mut groups {
        group.sort();
    }
    groups.sort_by_key(|group| (Reverse(group.severity), Reverse(group.open.count)));
    groups
}

impl Group<'_> {
    fn sort(&mut self) {
        self.rows.sort_by_key(|row| {
            (
                row.status,
                row.currency.map_or("", Currency::code),
                Reverse(absolute_difference(row)),
                &row.merchant_id,
                row.first_seen,
                row.discrepancy_id.as_str(),
            )
        });
        // Amounts of two currencies are not compared: each currency has its own first row.
        let mut ranks: BTreeMap<(DiscrepancyStatus, &str), u64> = BTreeMap::new();
        let mut rank = |row: &Discrepancy| {
            let code = row.currency.map_or("", Currency::code);
            let rank = ranks.entry((row.status, code)).or_default();
            *rank += 1;
            (row.status, *rank)
        };
        let mut ranked: Vec<_> = self.rows.iter().map(|row| (rank(row), *row)).collect();
        ranked.sort_by_key(|one| one.0);
        self.rows = ranked.into_iter().map(|one| one.1).collect();
    }

    fn anchor(&self) -> String {
        format!("{}-{}", self.severity.as_str(), self.code)
    }

    /// The action, if it is the same in all rows.
    fn action(&self) -> Option<&str> {
        let first = self.rows.first()?.action.as_str();
        self.rows.iter().all(|row| row.action == first).then_some(first)
    }

    /// The first row as an example, or the meaning of the check.
    fn example(&self, checks: &ReportedChecks) -> Markup {
        let Some(first) = self.rows.first() else { return Markup::default() };
        html! {
            p.means {
                @if first.explanation.is_empty() {
                    (Text(self.means(checks)))
                } @else {
                    @if !first.merchant_name.is_empty() { (foreign(&first.merchant_name)) ": " }
                    (foreign(&first.explanation))
                    @if self.rows.len() > 1 { " And " (self.rows.len() - 1) " more." }
                }
            }
        }
    }

    fn means<'m>(&self, checks: &'m ReportedChecks) -> &'m str {
        &checks.of(self.code).means
    }
}

/// One line for each code: number, amount, first date, action.
pub(super) fn overview(groups: &[Group<'_>], checks: &ReportedChecks, is_whole: bool) -> Markup {
    const HEADS: [Head; 7] = [
        text("Finding"),
        text("Level"),
        figure("Open"),
        figure("Cleared"),
        figure("Open differences"),
        text("Oldest since"),
        text("Next step"),
    ];
    let rows = groups.iter().map(|group| {
        let action = group.action().unwrap_or("See each below.");
        let title = html! {
            a href={ "#" (Text(&group.anchor())) } { (Text(&words::title_of(group.code))) }
            (group.example(checks))
        };
        [
            title.into(),
            Cell::mark(words::severity(group.severity)),
            count(group.open.count).into(),
            count(group.cleared).into(),
            sums(&group.open.differences).into(),
            Cell::date(group.oldest),
            html! { (Text(if group.open.count == 0 { "None is open now." } else { action })) }
                .into(),
        ]
    });
    let content = html! {
        @if groups.is_empty() {
            p {
                @if is_whole { "Nothing: " }
                @else { "Not everything was evaluated. As far as it was, " }
                "no difference is open, and none was cleared."
            } "\n"
        } @else {
            (table("cards wrong", "A line for each kind of discrepancy", &HEADS, rows))
            (paragraph("note", &"Differences are added up without their sign. One cause can show \
                                 in several checks, so the sums say how much to look at, not how \
                                 much is lost."))
        }
    };
    section("wrong", "Findings and next steps", &content)
}

/// The lead of the cause of each other finding, by id.
pub(super) fn leads<'a>(causes: &[Cause<'a>]) -> BTreeMap<&'a str, &'a Discrepancy> {
    let under = |cause: &Cause<'a>| {
        let lead = cause.lead;
        cause.others.iter().map(|row| (row.discrepancy_id.as_str(), lead)).collect::<Vec<_>>()
    };
    causes.iter().flat_map(under).collect()
}

/// Every discrepancy, by code; `leads` gives the lead finding of others.
pub(super) fn details(
    groups: &[Group<'_>],
    leads: &BTreeMap<&str, &Discrepancy>,
    checks: &ReportedChecks,
) -> Markup {
    if groups.is_empty() {
        return Markup::default();
    }
    let mut left = MAX_ROWS;
    let shown: Vec<usize> = groups
        .iter()
        .map(|group| {
            let shown = group.rows.len().min(MAX_ROWS_OF_A_CODE).min(left);
            left -= shown;
            shown
        })
        .collect();
    let content = html! {
        (controls(groups))
        @for (group, shown) in groups.iter().zip(shown) {
            (one_group(group, (leads, checks), shown))
        }
        p #none-left hidden { "No discrepancy fits the filter." } "\n"
    };
    section("discrepancies", "Discrepancies", &content)
}

/// The filter. It stays hidden where scripts do not run.
fn controls(groups: &[Group<'_>]) -> Markup {
    /// Above this number, the search field finds a merchant better than a list.
    const MAX_MERCHANTS: usize = 200;
    let rows = || groups.iter().flat_map(|group| group.rows.iter());
    let statuses: BTreeSet<&str> = rows().map(|row| row.status.as_str()).collect();
    let levels: BTreeSet<Reverse<Severity>> =
        groups.iter().map(|group| Reverse(group.severity)).collect();
    let merchants: BTreeMap<&MerchantId, &str> =
        rows().map(|row| (&row.merchant_id, row.merchant_name.as_str())).collect();
    let same = |word: &str| (word.to_owned(), word.to_owned());
    let named = |(id, name): (&&MerchantId, &&str)| {
        let shown = if name.is_empty() { id.to_string() } else { format!("{name} ({id})") };
        (id.to_string(), shown)
    };
    html! {
        form #filter hidden role="search" { "\n"
            label {
                "Find "
                input type="search" name="words" autocomplete="off"
                    placeholder="id, amount, word";
            } "\n"
            (choice("Status", "status", statuses.into_iter().map(same)))
            (choice("Level", "level", levels.iter().map(|level| same(level.0.as_str()))))
            @if (2..=MAX_MERCHANTS).contains(&merchants.len()) {
                (choice("Merchant", "merchant", merchants.iter().map(named)))
            }
            output name="shown" aria-live="polite" {} "\n"
        }
        "\n"
    }
}

/// A list of filter values with their labels.
fn choice(label: &str, name: &str, values: impl Iterator<Item = (String, String)>) -> Markup {
    const MAX_SHOWN: usize = 80;
    html! {
        label {
            (label) " "
            select name=(name) {
                option value="" { "all" }
                @for (value, shown) in values {
                    option value=(Text(&value)) {
                        (Text(&shown.chars().take(MAX_SHOWN).collect::<String>()))
                    }
                }
            }
        }
        "\n"
    }
}

const HEADS: [Head; 9] = [
    text("Status"),
    text("Merchant"),
    figure("Expected"),
    figure("Actual"),
    figure("Difference"),
    text("First reported"),
    figure("Age"),
    text("Explanation"),
    text("Evidence"),
];

fn one_group(
    group: &Group<'_>,
    (leads, checks): (&BTreeMap<&str, &Discrepancy>, &ReportedChecks),
    shown: usize,
) -> Markup {
    let title = words::title_of(group.code);
    let action = group.action();
    let rows = group.rows[..shown].iter().map(|row| {
        let lead = leads.get(row.discrepancy_id.as_str()).copied();
        one_row(row, lead, action.is_none())
    });
    html! {
        article.group id=(Text(&group.anchor())) data-level=(group.severity.as_str()) { "\n"
            h3 { (badge(words::severity(group.severity))) " " (Text(&title)) " "
                 code { (Text(group.code)) } } "\n"
            p {
                (Text(group.means(checks))) " "
                strong {
                    (counted(group.open.count, "is open", "are open"))
                    @if group.cleared > 0 {
                        ", " (counted(group.cleared, "was cleared", "were cleared"))
                    }
                }
            } "\n"
            @if let Some(action) = action {
                p.action { b { "Next step:" } " " (foreign(action)) } "\n"
            }
            @if shown > 0 {
                (table("cards sortable found", &format!("{title} discrepancies"), &HEADS, rows))
            }
            @if shown < group.rows.len() {
                (paragraph("note", &format!(
                    "{} shown here, new ones and the largest first; all {} are in \
                     discrepancies.csv and in the workbook.",
                    counted(shown as u64, "row is", "rows are"),
                    grouped(&group.rows.len().to_string())
                )))
            }
        }
        "\n"
    }
}

fn one_row<'a>(
    row: &'a Discrepancy,
    lead: Option<&'a Discrepancy>,
    states_action: bool,
) -> Row<'a, 9> {
    let what = html! {
        (foreign(&row.explanation))
        @if let Some(lead) = lead {
            p.means {
                "One cause with "
                a href={ "#" (Text(&lead.discrepancy_id)) } { (Text(&words::title_of(&lead.code))) }
                " " span.id { (Text(&lead.discrepancy_id)) }
            }
        }
        @if !row.assigned.is_none() {
            p.means { "Assigned: " (foreign(&row.assigned.in_words())) }
        }
        @if states_action && !row.action.is_empty() { p.action { (foreign(&row.action)) } }
    };
    let found =
        Found { id: &row.discrepancy_id, status: row.status.as_str(), merchant: &row.merchant_id };
    Row {
        class: None,
        found: Some(found),
        cells: [
            Cell::mark(words::status(row.status)),
            Cell::merchant(&row.merchant_id, &row.merchant_name),
            expected_of(row),
            figure_of(row, row.actual),
            figure_of(row, row.difference),
            Cell::date(Some(row.first_seen)),
            Cell::count(row.age_days),
            what.into(),
            evidence(row).into(),
        ],
    }
}

/// The expected amount, in its own currency.
fn expected_of(row: &Discrepancy) -> Cell {
    match (row.expected_currency, row.expected_money()) {
        (Some(_), Some((amount, currency))) => {
            Cell::keyed(Some(amount.0.to_string()), money(i128::from(amount.0), currency))
        }
        _ => figure_of(row, row.expected),
    }
}

fn figure_of(row: &Discrepancy, value: Option<i64>) -> Cell {
    let shown = match (value, row.figure, row.currency) {
        (Some(value), Figure::Count, _) => count(value),
        (Some(value), Figure::Amount, Some(currency)) => money(i128::from(value), currency),
        _ => Markup::default(),
    };
    let key = value.map(|value| match (row.figure, row.currency) {
        (Figure::Amount, Some(currency)) => money_key(value, currency),
        _ => value.to_string(),
    });
    Cell::keyed(key, shown)
}

/// The ids of the processor and the books that the row names.
fn evidence(row: &Discrepancy) -> Markup {
    let day = row.batch_date.map(|date| date.to_string()).unwrap_or_default();
    let facts = [
        ("day", day.as_str()),
        ("deposit", &row.ids.ach_deposit_id),
        ("batch", &row.ids.batch_id),
        ("authorization", &row.ids.authorization_id),
        ("transaction", &row.ids.transaction_id),
        ("payment", &row.ids.payment_id),
        ("refund", &row.ids.refund_id),
        ("order", &row.ids.order_id),
        ("ledger", &row.ids.ledger_id),
        ("dispute", &row.ids.dispute_id),
        ("discrepancy", &row.discrepancy_id),
    ];
    html! {
        ul.evidence {
            @for (what, ids) in facts.iter().filter(|fact| !fact.1.is_empty()) {
                li { (what) " " (some_of(ids)) }
            }
        }
    }
}

/// The first of several ids, and the number of the others.
fn some_of(ids: &str) -> Markup {
    let all = ids.split(';').count();
    let first: Vec<&str> = ids.split(';').take(MAX_IDS).collect();
    html! {
        span.id { (foreign(&first.join(", "))) }
        @if all > MAX_IDS { " and " (all - MAX_IDS) " more" }
    }
}
