//! What is wrong: one line a code with what to do, then every discrepancy with its figures
//! and evidence. Of very many the largest are shown, and the CSV file is named for the rest.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::markup::Markup;
use super::shell::section;
use super::table::{Grid, Head, badge, figure, merchant, table, text};
use super::words::{self, counted};
use crate::model::{Discrepancy, DiscrepancyStatus, Figure, Severity};
use crate::money::{Currency, Minor};
use crate::report::totals::{Tally, absolute_difference, is_open};

/// Of one code; more make a page that opens slowly and that nobody reads.
const MAX_ROWS_OF_A_CODE: usize = 100;
/// Of all codes together.
const MAX_ROWS: usize = 1_000;
/// Ids of one kind in the evidence of one discrepancy.
const MAX_IDS: usize = 4;

/// Discrepancies of one code and severity.
pub(super) struct Group<'a> {
    pub code: &'a str,
    pub severity: Severity,
    /// New ones first, then the largest first.
    rows: Vec<&'a Discrepancy>,
    open: Tally,
    cleared: u64,
    /// When the oldest open one was first seen.
    oldest: Option<NaiveDate>,
}

/// The groups as of `end`, the gravest first, then those with most of them.
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
        group.rows.sort_by_key(|row| {
            (
                row.status,
                Reverse(absolute_difference(row)),
                row.merchant_id.as_str(),
                row.first_seen,
                row.discrepancy_id.as_str(),
            )
        });
    }
    groups.sort_by_key(|group| (Reverse(group.severity), Reverse(group.open.count)));
    groups
}

impl Group<'_> {
    fn anchor(&self) -> String {
        format!("{}-{}", self.severity.as_str(), self.code)
    }

    /// The action, when all rows ask for the same.
    fn action(&self) -> Option<&str> {
        let first = self.rows.first()?.action.as_str();
        self.rows.iter().all(|row| row.action == first).then_some(first)
    }

    /// The first of them, in a sentence with its figures, or what the check looks for.
    fn example(&self, page: &mut Markup, meanings: &BTreeMap<String, String>) {
        let Some(first) = self.rows.first() else { return };
        page.within("p", &[("class", "means")], |page| {
            if first.explanation.is_empty() {
                page.text(self.means(meanings));
                return;
            }
            if !first.merchant_name.is_empty() {
                page.foreign(&first.merchant_name);
                page.fixed(": ");
            }
            page.foreign(&first.explanation);
            if self.rows.len() > 1 {
                page.text(&format!(" And {} more.", self.rows.len() - 1));
            }
        });
    }

    fn means<'m>(&self, meanings: &'m BTreeMap<String, String>) -> &'m str {
        meanings.get(self.code).map_or("", String::as_str)
    }
}

/// One line a code: how many, how much, since when, what to do.
pub(super) fn overview(
    page: &mut Markup,
    groups: &[Group<'_>],
    meanings: &BTreeMap<String, String>,
) {
    const HEADS: &[Head] = &[
        text("What is wrong"),
        text("Level"),
        figure("Open"),
        figure("Cleared"),
        figure("Open differences"),
        text("Oldest since"),
        text("What to do"),
    ];
    section(page, "wrong", "What is wrong, and what to do", |page| {
        if groups.is_empty() {
            page.fixed("<p>Nothing: no difference is open, and none was cleared.</p>\n");
            return;
        }
        table(page, "cards wrong", "A line for each kind of discrepancy", HEADS, |grid| {
            for group in groups {
                grid.row(&[], |grid| {
                    grid.cell(|page| {
                        let link = format!("#{}", group.anchor());
                        page.element("a", &[("href", &link)], &words::title_of(group.code));
                        group.example(page, meanings);
                    });
                    grid.mark(words::severity(group.severity));
                    grid.cell(|page| page.count(group.open.count));
                    grid.cell(|page| page.count(group.cleared));
                    grid.cell(|page| page.sums(&group.open.differences));
                    grid.date(group.oldest);
                    let action = group.action().unwrap_or("See each below.");
                    grid.words(if group.open.count == 0 { "None is open now." } else { action });
                });
            }
        });
        page.fixed(
            "<p class=\"note\">Differences are added up without their sign. One cause can show \
             in several checks, so the sums say how much to look at, not how much is lost.</p>\n",
        );
    });
}

/// Every discrepancy, by code.
pub(super) fn details(
    page: &mut Markup,
    groups: &[Group<'_>],
    meanings: &BTreeMap<String, String>,
) {
    if groups.is_empty() {
        return;
    }
    section(page, "discrepancies", "Discrepancies", |page| {
        controls(page, groups);
        let mut left = MAX_ROWS;
        for group in groups {
            let shown = group.rows.len().min(MAX_ROWS_OF_A_CODE).min(left);
            left -= shown;
            one_group(page, group, meanings, shown);
        }
        page.fixed("<p id=\"none-left\" hidden>No discrepancy fits the filter.</p>\n");
    });
}

/// The filter. It stays hidden where scripts do not run.
fn controls(page: &mut Markup, groups: &[Group<'_>]) {
    let rows = || groups.iter().flat_map(|group| group.rows.iter());
    let statuses: BTreeSet<&str> = rows().map(|row| row.status.as_str()).collect();
    let levels: BTreeSet<Reverse<Severity>> =
        groups.iter().map(|group| Reverse(group.severity)).collect();
    let merchants: BTreeMap<&str, &str> =
        rows().map(|row| (row.merchant_id.as_str(), row.merchant_name.as_str())).collect();
    page.open("form", &[("id", "filter"), ("hidden", ""), ("role", "search")]);
    page.fixed(
        "<label>Find <input type=\"search\" name=\"words\" autocomplete=\"off\" \
         placeholder=\"id, amount, word\"></label>\n",
    );
    let choices =
        |values: Vec<&str>| values.into_iter().map(|v| (v.to_owned(), v.to_owned())).collect();
    choice(page, "Status", "status", choices(statuses.into_iter().collect()));
    choice(page, "Level", "level", choices(levels.iter().map(|level| level.0.as_str()).collect()));
    // A list of thousands is of no use: the words find a merchant as well.
    if (2..=200).contains(&merchants.len()) {
        let named = merchants.iter().map(|(id, name)| {
            (
                (*id).to_owned(),
                if name.is_empty() { (*id).to_owned() } else { format!("{name} ({id})") },
            )
        });
        choice(page, "Merchant", "merchant", named.collect());
    }
    page.fixed("<output name=\"shown\" aria-live=\"polite\"></output>\n");
    page.close("form");
}

fn choice(
    page: &mut Markup,
    label: &'static str,
    name: &'static str,
    values: Vec<(String, String)>,
) {
    page.within("label", &[], |page| {
        page.text(label);
        page.fixed(" ");
        page.within("select", &[("name", name)], |page| {
            page.fixed("<option value=\"\">all</option>");
            for (value, shown) in values {
                let shown: String = shown.chars().take(80).collect();
                page.element("option", &[("value", &value)], &shown);
            }
        });
    });
}

const HEADS: &[Head] = &[
    text("Status"),
    text("Merchant"),
    figure("Expected"),
    figure("Actual"),
    figure("Difference"),
    text("Since"),
    figure("Age"),
    text("What happened"),
    text("Evidence"),
];

fn one_group(
    page: &mut Markup,
    group: &Group<'_>,
    meanings: &BTreeMap<String, String>,
    shown: usize,
) {
    let level = group.severity.as_str();
    page.open("article", &[("id", &group.anchor()), ("class", "group"), ("data-level", level)]);
    page.within("h3", &[], |page| {
        badge(page, words::severity(group.severity));
        page.fixed(" ");
        page.text(&words::title_of(group.code));
        page.fixed(" ");
        page.element("code", &[], group.code);
    });
    page.within("p", &[], |page| {
        page.text(group.means(meanings));
        page.fixed(" ");
        page.open("strong", &[]);
        page.text(&counted(group.open.count, "is open", "are open"));
        if group.cleared > 0 {
            page.text(&format!(", {}", counted(group.cleared, "was cleared", "were cleared")));
        }
        page.close("strong");
    });
    if let Some(action) = group.action() {
        page.within("p", &[("class", "action")], |page| {
            page.fixed("<b>What to do:</b> ");
            page.foreign(action);
        });
    }
    if shown > 0 {
        let caption = format!("{} discrepancies", words::title_of(group.code));
        table(page, "cards sortable found", &caption, HEADS, |grid| {
            for row in &group.rows[..shown] {
                one_row(grid, row, group.action().is_none());
            }
        });
    }
    if shown < group.rows.len() {
        page.within("p", &[("class", "note")], |page| {
            let (shown, all) = (shown as u64, group.rows.len() as u64);
            page.text(&format!(
                "{} shown here, new ones and the largest first; all {} are in \
                 discrepancies.csv and in the workbook.",
                counted(shown, "row is", "rows are"),
                super::markup::grouped(&all.to_string())
            ));
        });
    }
    page.close("article");
}

fn one_row(grid: &mut Grid<'_>, row: &Discrepancy, states_action: bool) {
    let status = row.status.as_str();
    let attributes = [
        ("id", row.discrepancy_id.as_str()),
        ("data-status", status),
        ("data-merchant", &row.merchant_id),
    ];
    grid.row(&attributes, |grid| {
        grid.mark(words::status(row.status));
        grid.cell(|page| merchant(page, &row.merchant_id, &row.merchant_name));
        for value in [row.expected, row.actual, row.difference] {
            figure_of(grid, row, value);
        }
        grid.date(Some(row.first_seen));
        grid.count(Some(i64::from(row.age_days)));
        grid.cell(|page| {
            page.foreign(&row.explanation);
            if states_action && !row.action.is_empty() {
                page.within("p", &[("class", "action")], |page| page.foreign(&row.action));
            }
        });
        grid.cell(|page| evidence(page, row));
    });
}

fn figure_of(grid: &mut Grid<'_>, row: &Discrepancy, value: Option<i64>) {
    let key = value.map(|value| value.to_string());
    grid.keyed(key.as_deref(), |page| match (value, row.figure, row.currency) {
        (Some(value), Figure::Count, _) => page.count(value),
        (Some(value), Figure::Amount, Some(currency)) => money(page, Minor(value), currency),
        _ => {}
    });
}

fn money(page: &mut Markup, amount: Minor, currency: Currency) {
    page.money(i128::from(amount.0), currency);
}

/// What it is about, by the ids that the processor and the books know.
fn evidence(page: &mut Markup, row: &Discrepancy) {
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
        ("discrepancy", &row.discrepancy_id),
    ];
    page.within("ul", &[("class", "evidence")], |page| {
        for (what, ids) in facts.iter().filter(|fact| !fact.1.is_empty()) {
            page.within("li", &[], |page| {
                page.text(what);
                page.fixed(" ");
                let all = ids.split(';').count();
                let first: Vec<&str> = ids.split(';').take(MAX_IDS).collect();
                page.within("span", &[("class", "id")], |page| page.foreign(&first.join(", ")));
                if all > MAX_IDS {
                    page.text(&format!(" and {} more", all - MAX_IDS));
                }
            });
        }
    });
}
